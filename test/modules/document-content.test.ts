import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import { paymentQr } from '../../src/core/payment-qr.ts'
import { companies, documents, orderItems, settings } from '../../src/database/schema/index.ts'
import { folderOf } from '../../src/http/uploads/folder.ts'
import { formatCalendarDate, today } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { makeIssuable } from '../support/documents.ts'
import { payOrder } from '../support/ledger.ts'
import { readPdf } from '../support/read-pdf.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { app, cast, db, as } = cabinet
  makeIssuable(cabinet)
  db.insert(orderItems)
    .values({ order_id: cast.order, name: 'Door', article: 'D-7', quantity: 1, price: 500_00, discount: 10, width: 900, height: 2100 })
    .run()
  db.update(orderItems).set({ vat: '20', remark: 'Opens to the left' }).where(eq(orderItems.order_id, cast.order)).run()
  grant(db, cast.maria, 'document_can_issue')
  const maria = await as('maria')
  const issue = async (kind: string) => {
    const answer = await maria.post(`/orders/${cast.order}/issue`, { kind })
    if (answer.statusCode !== 303) return answer
    const { file } = db.select().from(documents).orderBy(desc(documents.id)).get() as typeof documents.$inferSelect
    return readPdf(test, readFileSync(join(folderOf(app.config.dataDir, file), file)))
  }
  const read = async (kind: string) => (await issue(kind)) as ReturnType<typeof readPdf>
  return { ...cabinet, maria, issue, read }
}

t.test('an invoice says who pays whom for what, with discounts and VAT as written, in words, and in a code that banks read', async (t) => {
  const { cast, read } = await start(t)
  const { text, qr } = await read('invoice')
  const date = formatCalendarDate(today())
  for (const said of [
    new RegExp(`Invoice No. 1, ${date}`),
    /A bank/,
    /044525225/,
    /30101810400000000225/,
    /40702810900000000001/,
    /Makers LLC/,
    /Moscow, Arbat 1/,
    /1 Window .*2 1 000,00 ₽ — 2 000,00 ₽/,
    /2 D-7, Door, 900 × 2100 mm 1 500,00 ₽ 10% 450,00 ₽/,
    /Opens to the left/,
    /Including VAT 20% 408,33 ₽/,
    /To pay 2 000,00 ₽/,
    /Two thousand rubles 00 kopecks/,
    /Director/,
    /Accountant/,
    /Place for stamp/,
  ])
    t.match(text, said)
  t.equal(
    await qr(),
    'ST00012|Name=Makers LLC|PersonalAcc=40702810900000000001|BankName=A bank|BIC=044525225|CorrespAcc=30101810400000000225' +
      `|Sum=200000|Purpose=Payment of invoice 1, ${date}|PayeeINN=7707083893`,
  )
  t.ok(cast.order)
})

t.test('amounts of an invoice are what the order still lacks; a paid order gets none', async (t) => {
  const { db, cast, read, issue } = await start(t)
  payOrder(db, cast.order, 1_500_00)
  const { text, qr } = await read('invoice')
  t.match(text, /Total 2 000,00 ₽ .*To pay 500,00 ₽ .*Five hundred rubles/)
  t.match(await qr(), /\|Sum=50000\|/)
  t.equal(db.select().from(documents).get()?.amount, 500_00)
  payOrder(db, cast.order, 500_00)
  t.match(await issue('invoice'), { statusCode: 422, body: /The order is paid: there is nothing to invoice/ })
  t.equal(db.select().from(documents).all().length, 1)
})

t.test('in Russian, as the installation is', async (t) => {
  const { db, read } = await start(t)
  db.update(settings).set({ language: 'ru', signatory: 'Иванов И. И.' }).run()
  const { text, qr } = await read('invoice')
  for (const said of [/Счёт № 1 от/, /К оплате 2 000,00 ₽/, /Две тысячи рублей 00 копеек/, /Руководитель/, /Иванов И\. И\./, /М\. П\./])
    t.match(text, said)
  t.match(await qr(), /\|Purpose=Оплата по счёту № 1 от /)
})

t.test('a specification names the contract, a delivery note no prices', async (t) => {
  const { db, cast, read } = await start(t)
  db.update(companies).set({ contract_number: '17/А' }).where(eq(companies.id, cast.companies.alpha)).run()
  const specification = await read('specification')
  t.match(specification.text, new RegExp(`Specification No. ${cast.order + 1000}, .*To contract 17/А.*2 000,00 ₽`))
  const note = await read('delivery_note')
  t.match(note.text, /This is not a primary accounting document.*Window.*D-7, Door/)
  t.notMatch(note.text, /₽|VAT|%/)
  t.match((await read('offer')).text, /Commercial offer No. 1.*2 000,00 ₽.*Two thousand rubles/)
})

t.test('VAT stands for each rate that lines were written with', async (t) => {
  const { db, cast, read } = await start(t)
  db.update(orderItems).set({ vat: '10' }).where(eq(orderItems.name, 'Door')).run()
  db.insert(orderItems).values({ order_id: cast.order, name: 'Handle', quantity: 1, price: 50_00, discount: 0, vat: 'none' }).run()
  t.match((await read('offer')).text, /Total 2 000,00 ₽ Including VAT 20% 333,33 ₽ Including VAT 10% 40,91 ₽ No VAT —/)
  db.update(orderItems).set({ vat: null }).run()
  t.notMatch((await read('offer')).text, /VAT/)
})

t.test('another currency has neither words nor a code', async (t) => {
  const { db, read } = await start(t)
  db.update(settings).set({ currency_symbol: '€' }).run()
  const { text, qr } = await read('invoice')
  t.match(text, /To pay 2 000,00 €/)
  t.notMatch(text, /rubles/)
  t.equal(await qr(), undefined)
})

t.test('the code is made where the standard has all that it requires, and no value ends another', (t) => {
  const payee = { legal_name: 'A|B', rs: '1', bank: 'C', bik: '2', cs: '3', inn: null, kpp: '4' }
  const about = { kopecks: 5, purpose: 'D' }
  t.equal(paymentQr(payee, about), 'ST00012|Name=A B|PersonalAcc=1|BankName=C|BIC=2|CorrespAcc=3|Sum=5|Purpose=D|KPP=4')
  const long = paymentQr({ ...payee, legal_name: 'я'.repeat(161), bank: 'б'.repeat(46) }, { kopecks: 5, purpose: 'ц'.repeat(211) })
  t.match(long, `|Name=${'я'.repeat(160)}|PersonalAcc=`, 'no more than the standard leaves room for')
  t.match(long, `|BankName=${'б'.repeat(45)}|BIC=`)
  t.match(long, `|Purpose=${'ц'.repeat(210)}|KPP=`)
  for (const name of ['legal_name', 'rs', 'bank', 'bik', 'cs'])
    for (const empty of [null, '']) t.equal(paymentQr({ ...payee, [name]: empty }, about), undefined, name)
  t.end()
})
