import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import type { Browser } from '../support/cabinet.ts'
import { names } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { controlsOf, errorsOf, parseHtml, textOf } from '../support/html.ts'
import { later } from '../support/later.ts'
import { orderOf, placeOrder, startWithDiscounts } from '../support/orders.ts'

const submitFiles = (browser: Browser, path: string, fields: Record<string, string | File>) =>
  submitForm(browser, path, Object.entries(fields))

t.test(
  'the files of an order are kept, replaced and removed, and downloaded by everybody who sees the order and its payment',
  async (t) => {
    const { as, db, cast, address } = await startWithDiscounts(t)
    const [denis, maria] = [await as('denis'), await as('maria')]
    const sent = await submitFiles(denis, address, { receiver: 'With a file', payment_order: new File(['paid'], 'Platezh.pdf') })
    t.equal(sent.statusCode, 303)
    const key = orderOf(db, cast.order).payment_order as string
    const card = await maria.get(address)
    t.match(card.body, new RegExp(`href="/files/${key}\\?name=Platezh.pdf"[^>]*>.*Platezh.pdf`))
    for (const name of names) {
      if (name === 'ivan') continue
      const { statusCode, headers } = await (await as(name)).get(`/files/${key}`)
      const sees = ['denis', 'roman', 'maria', 'root', 'clerk', 'admin'].includes(name)
      t.equal(statusCode, sees ? 200 : 403, name)
      if (sees) t.match(headers['content-disposition'], /Platezh.pdf/)
    }
    const other = await submitFiles(denis, address, {
      'payment_order[stored]': key,
      email: 'wrong',
      payment_order: new File(['again'], 'Second.pdf'),
    })
    t.match([other.statusCode, Object.keys(errorsOf(other))], [422, ['email']])
    const second = controlsOf(other.body).find(({ name }) => name === 'payment_order[stored]')?.value as string
    t.not(second, key, 'the file that was sent is not lost')
    t.match(other.body, 'Second.pdf')
    t.equal((await denis.post(address, { 'payment_order[stored]': second })).statusCode, 303)
    t.equal(orderOf(db, cast.order).payment_order, second)
    t.equal((await denis.post(address, { 'payment_order[stored]': ['', ''].slice(1) })).statusCode, 303)
    t.equal(orderOf(db, cast.order).payment_order, null)
    const attached = await submitFiles(maria, address, { specification: new File(['s'], 's.txt'), invoice: new File(['i'], 'i.txt') })
    t.equal(attached.statusCode, 303)
    t.ok(orderOf(db, cast.order).specification && orderOf(db, cast.order).invoice)
    t.equal((await submitFiles(denis, address, { invoice: new File(['mine'], 'i.txt') })).statusCode, 403, "not the dealer's to attach")
    const large = new File([new Uint8Array(25 * 1024 * 1024 + 1)], 'large.bin')
    const refused = await submitForm(maria, address, [['specification', large]], { referer: `http://localhost${address}` })
    t.equal(refused.statusCode, 413)
    t.match(textOf(refused.body), /Files are limited to 25 MB Go back and choose a smaller one\./)
    t.equal(parseHtml(refused.body)(`main a[href="${address}"]`).text().trim(), 'Go back')
    t.equal((await submitFiles(maria, address, { specification: new File([''], 'empty.txt') })).statusCode, 422)
  },
)

t.test('a program is no document, whatever it is called (415), and what else was filled in stays', async (t) => {
  const { as, db, cast, address } = await startWithDiscounts(t)
  const maria = await as('maria')
  const programs = [
    new File(['anything'], 'Spec.pdf.EXE'),
    new File(['echo'], 'run.sh'),
    new File(['MZ\x90\0\x03\0'], 'Spec.pdf'),
    new File(['#!/bin/sh'], 'Spec'),
  ]
  for (const program of programs) {
    const refused = await submitFiles(maria, address, { receiver: 'Kept words', specification: program })
    t.match([refused.statusCode, errorsOf(refused)], [415, { specification: /Programs and scripts cannot be attached/ }], program.name)
    t.match(refused.body, 'Kept words')
    const tile = await submitForm(maria, `/orders/${cast.order}/documents`, [['specification', program]])
    t.match([tile.statusCode, textOf(tile.body)], [415, /Programs and scripts cannot be attached/])
  }
  t.equal(orderOf(db, cast.order).specification, null)
  for (const name of ['MZ-100.csv', 'drawing.dwg', 'signed.pdf.sig', 'scans.zip']) {
    t.equal((await submitFiles(maria, address, { specification: new File(['MZ-100;12'], name) })).statusCode, 303, name)
  }
})

t.test('the same file under other names elsewhere does not rename it in an order or a company', async (t) => {
  const { as, db, cast, address, alpha } = await startWithDiscounts(t)
  const [denis, daria] = [await as('denis'), await as('daria')]
  const [maria, mikhail, root] = [await as('maria'), await as('mikhail'), await as('root')]
  const content = (name: string) => new File(['the same bytes'], name)
  const nameFor = async (browser: Browser, key: string) => String((await browser.get(`/files/${key}`)).headers['content-disposition'])
  t.equal((await submitFiles(denis, address, { payment_order: content('Platezh.pdf') })).statusCode, 303)
  const key = orderOf(db, cast.order).payment_order as string

  const others = `/orders/edit/${await placeOrder(daria)}`
  t.equal((await submitFiles(daria, others, { payment_order: content('Secret.bin') })).statusCode, 303)
  await submitFiles(mikhail, others, { email: 'wrong', payment_order: content('Never saved.bin') })
  for (const reader of [denis, maria, root]) {
    t.match(parseHtml((await reader.get(address)).body)('a[href^="/files/"]').text(), 'Platezh.pdf')
    t.notMatch((await reader.get(`${address}?tab=history`)).body, /Secret|Never saved/)
  }
  t.match((await root.get(`${address}?tab=history`)).body, 'Platezh.pdf')
  t.match((await daria.get(others)).body, 'Secret.bin')
  for (const reader of [denis, maria]) t.match(await nameFor(reader, key), 'filename="Platezh.pdf"')
  t.match(await nameFor(daria, key), 'filename="Secret.bin"')

  const company = { files: '', 'files[0][name]': 'Contract', 'files[0][file]': content('Scan.PDF') }
  t.equal((await submitFiles(maria, `/company/edit/${alpha}`, company)).statusCode, 303)
  await submitFiles(daria, others, { payment_order: content('Once more.bin') })
  for (const reader of [maria, root]) t.match(await nameFor(reader, key), 'filename="Contract.PDF"', 'a company names its files itself')
  t.match(await nameFor(denis, key), 'filename="Platezh.pdf"')
  t.match((await maria.get(address)).body, 'Platezh.pdf')

  t.equal((await denis.post(address, { 'payment_order[stored]': '' })).statusCode, 303)
  t.equal((await submitFiles(denis, address, { payment_order: content('Renamed.pdf') })).statusCode, 303)
  t.match((await maria.get(address)).body, 'Renamed.pdf', 'whoever saves the order may')
  t.match(await nameFor(denis, key), 'filename="Renamed.pdf"')
  t.equal((await root.post(address, { 'payment_order[stored]': '' })).statusCode, 303)
  t.equal((await submitFiles(root, address, { payment_order: content('From the bank.pdf') })).statusCode, 303)
  await later(1000, () => submitFiles(root, others, { payment_order: content('Elsewhere.pdf') }))
  const tile = parseHtml((await maria.get(`/orders/${cast.order}`)).body)('.file-tile:not(.is-missing)').text()
  t.match(tile.replace(/\s+/g, ' '), /From the bank\.pdf .* Root Olga/, 'who added it last')
})

t.test('a file of a company whose name is left empty has the name of the file', async (t) => {
  const { as, db, alpha } = await startWithDiscounts(t)
  const [maria, root] = [await as('maria'), await as('root')]
  const address = `/company/edit/${alpha}`
  const namesOf = () => {
    const [row] = db.select({ files: companies.files }).from(companies).where(eq(companies.id, alpha)).all()
    return row?.files.map(({ name }) => name)
  }
  const scan = new File(['a scan'], 'Scan.PDF')
  t.equal((await submitFiles(maria, address, { files: '', 'files[0][name]': ' ', 'files[0][file]': scan })).statusCode, 303)
  t.same(namesOf(), ['Scan.PDF'])
  const key = String(controlsOf((await root.get(`${address}?tab=files`)).body).find(({ name }) => name === 'files[0][stored]')?.value)
  t.match((await root.get(`/files/${key}`)).headers['content-disposition'], 'filename="Scan.PDF"')
  t.equal((await root.post(address, { files: '', 'files[0][name]': 'Contract', 'files[0][stored]': key })).statusCode, 303)
  t.same(namesOf(), ['Contract'])
  t.equal((await root.post(address, { files: '', 'files[0][name]': '', 'files[0][stored]': key })).statusCode, 303)
  t.same(namesOf(), ['Scan.PDF'], "emptied by somebody else, it is the file's again")
  const lacking = await root.post(address, { files: '', 'files[0][name]': '' })
  t.match([lacking.statusCode, Object.keys(errorsOf(lacking))], [422, ['files.0.file']], 'a row needs its file')
})

t.test('a file of an order not saved yet keeps the name that its sender gave it', async (t) => {
  const { as, address } = await startWithDiscounts(t)
  const [denis, roman] = [await as('denis'), await as('roman')]
  const send = (browser: Browser, name: string) =>
    submitFiles(browser, address, { email: 'wrong', payment_order: new File(['the same bytes'], name) })
  const key = controlsOf((await send(denis, 'Mine.pdf')).body).find(({ name }) => name === 'payment_order[stored]')?.value
  const again = await send(roman, 'Theirs.bin')
  t.match(again.body, 'Theirs.bin')
  t.match((await denis.post(address, { email: 'wrong', 'payment_order[stored]': String(key) })).body, 'Mine.pdf')
  t.match((await denis.get(`/files/${key}`)).headers['content-disposition'], 'filename="Mine.pdf"')
})
