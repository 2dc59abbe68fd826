import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, invitations, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

t.test('the overview of a person', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta } = cast.companies
  const set = (id: number, values: Partial<typeof users.$inferInsert>) => db.update(users).set(values).where(eq(users.id, id)).run()
  const page = async (name: Name, path: string) => parseHtml((await (await as(name)).get(`${path}?tab=overview`)).body)
  const linesOf = ($: ReturnType<typeof parseHtml>, part: string) =>
    $(`section[aria-labelledby=${part}-title] :is(dl > div, .order-lines > li, .record-empty)`)
      .toArray()
      .map((line) => textOf($.html(line)).replaceAll(/\s+/g, ' '))
  const partOf = async (name: Name, path: string, part: string) => linesOf(await page(name, path), part)
  const rowsOf = async (name: Name) => {
    const $ = await page(name, maria)
    return $('.company-table tbody tr')
      .toArray()
      .map((row) => textOf($.html(row)).replaceAll(/\s+/g, ' '))
  }
  const denis = `/dealers/edit/${cast.denis}`
  const maria = `/managers/edit/${cast.maria}`

  t.test('says how to reach somebody, and leads there', async (t) => {
    set(cast.denis, { phone: '+7(901) 222 33 44' })
    set(cast.denis, { image: 'face' })
    t.equal((await page('maria', denis))('.record-lead > img').attr('src'), '/avatars/face/96')
    set(cast.denis, { image: null })
    const facts = (await page('maria', denis))('.record-facts a')
      .toArray()
      .map(({ attribs }) => attribs.href)
    t.same(facts, [`/company/edit/${alpha}?tab=overview`, 'mailto:denis@example.com', 'tel:+79012223344'])
    revoke(db, cast.maria, 'company_manager_can_view')
    revoke(db, cast.maria, 'company_manager_can_edit')
    t.equal((await page('maria', denis))('.record-facts a').attr('href'), 'mailto:denis@example.com', 'the company is only named')
    grant(db, cast.maria, 'company_manager_can_view', 'company_manager_can_edit')
  })

  t.test('says what is agreed with the company of a dealer, to those who may read that', async (t) => {
    db.update(companies).set({ contract_number: 'A-7', contract_date: '2026-01-30', discount: 12 }).where(eq(companies.id, alpha)).run()
    t.same((await partOf('maria', denis, 'terms')).slice(0, 2), ['Contract A-7, 30.01.2026', 'Base discount 12%'])
    revoke(db, cast.maria, 'order_can_view_prices')
    t.same(await partOf('maria', denis, 'terms'), ['Contract A-7, 30.01.2026'])
    grant(db, cast.maria, 'order_can_view_prices')
    grant(db, cast.plain, 'dealer_can_view')
    t.same(await partOf('plain', denis, 'terms'), [], 'not to a manager of others')
    revoke(db, cast.plain, 'dealer_can_view')
    t.same(await partOf('root', maria, 'terms'), [], 'staff have none')
  })

  t.test("names a dealer's orders, no colleague's, and an order leads back", async (t) => {
    const order = insertOrder(cabinet, 'production', { dealer_id: cast.denis, company_id: alpha, receiver: 'Ann' })
    insertOrder(cabinet, 'production', { dealer_id: cast.roman, company_id: alpha, receiver: 'Colleague' })
    const $ = await page('maria', denis)
    t.match(linesOf($, 'open-orders').join('; '), new RegExp(`#${order} Ann `))
    t.notMatch($.html(), 'Colleague')
    t.match(linesOf($, 'totals').at(-1), /^All orders 2$/)
    t.equal($('[aria-labelledby=totals-title] a').last().attr('href'), `/orders?dealer=${cast.denis}`)
    const opened = parseHtml((await (await as('maria')).get(String($('.order-lines a').attr('href')))).body)
    t.same([opened('.back-link').attr('href'), textOf(opened('.back-link').text())], [`${denis}?tab=overview`, 'Dealer'])
    grant(db, cast.plain, 'dealer_can_view')
    t.same(await partOf('plain', denis, 'open-orders'), ['No orders in progress.'], 'a manager of others sees the person, not the orders')
    revoke(db, cast.plain, 'dealer_can_view')
    t.equal((await (await as('mikhail')).get(`${denis}?tab=overview`)).statusCode, 403)
  })

  t.test("names a manager's companies among those of the reader's list, with their orders", async (t) => {
    t.same(await rowsOf('root'), ['Alpha Windows 3 0,00 ₽'])
    revoke(db, cast.maria, 'order_can_view_prices')
    grant(db, cast.maria, 'manager_can_view')
    t.same(await rowsOf('maria'), ['Alpha Windows 3'], 'how they stand is for those who see prices')
    grant(db, cast.maria, 'order_can_view_prices')
    grant(db, cast.clerk, 'manager_can_view')
    t.same(await rowsOf('clerk'), [])
    grant(db, cast.clerk, 'company_can_view')
    const $ = await page('clerk', maria)
    t.equal($('[aria-labelledby=companies-title] td a').attr('href'), `/company/edit/${alpha}?tab=overview`)
    t.equal($('[aria-labelledby=companies-title] header a').attr('href'), `/companies?manager=${cast.maria}`)
    t.notMatch($('.company-table').text(), 'Бета')
    t.same(await partOf('root', `/managers/edit/${cast.plain}`, 'companies'), ['No companies'])
    t.same(await partOf('root', denis, 'companies'), [], `a dealer has one, and ${beta} is none of theirs`)
    revoke(db, cast.clerk, 'company_can_view')
  })

  t.test('says to administrators where somebody may do what', async (t) => {
    const access = await partOf('root', denis, 'access')
    t.match(access[0], /^Viewing Dashboard, News, Orders, /)
    t.notMatch(access[0], 'Settings')
    t.match(access[1], /^Adding Orders/)
    t.same(await partOf('maria', denis, 'access'), [], 'not to managers')
    t.match(await partOf('root', `/admins/edit/${cast.root}`, 'access'), ['Viewing All sections'])
    set(cast.denis, { active: false })
    t.same(await partOf('root', denis, 'access'), ['Denisov Denis is deactivated and has no access.'])
    set(cast.denis, { active: true })
  })

  t.test('says how somebody gets in: the invitation, and to administrators who may edit the sessions', async (t) => {
    await as('roman')
    const roman = `/dealers/edit/${cast.roman}`
    t.match(await partOf('root', roman, 'sign-in'), [/^Last sign-in \d/, 'Sessions 1'])
    db.insert(invitations)
      .values({ user_id: cast.roman, token_hash: 'x', email: 'roman@example.com', at: Date.now(), inviter_name: 'A' })
      .run()
    t.match(await partOf('maria', roman, 'sign-in'), [/^Last sign-in/, /^Invited \d\d\.\d\d\.\d{4}/])
    t.equal((await page('maria', roman))('[aria-labelledby=sign-in-title] a').attr('href'), `${roman}?tab=invitation`)
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    const read = await page('maria', roman)
    t.match(linesOf(read, 'sign-in'), [/^Last sign-in/, /^Invited/])
    t.same([read('[aria-labelledby=sign-in-title] a').length, read('[data-hotkey=e]').length], [0, 0], 'nothing to do for whoever reads')
    grant(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await page('maria', roman))('[data-hotkey=e]').attr('href'), roman)
    t.equal(parseHtml((await (await as('maria')).get(roman)).body)('form.record-form').length, 1, 'the address alone is the form')
  })

  t.test('names the orders of a dealer that came to an end last, those that its reader sees', async (t) => {
    const ended = insertOrder(cabinet, 'completed', { dealer_id: cast.denis, company_id: alpha, receiver: 'Ended' })
    insertOrder(cabinet, 'completed', { dealer_id: cast.roman, company_id: alpha })
    t.match(await partOf('maria', denis, 'finished'), [new RegExp(`^#${ended} Ended`)])
    const back = String((await page('maria', denis))('[aria-labelledby=finished-title] a').attr('href'))
    t.equal(parseHtml((await (await as('maria')).get(back)).body)('.back-link').attr('href'), `${denis}?tab=overview`)
    grant(db, cast.plain, 'dealer_can_view')
    t.same(await partOf('plain', denis, 'finished'), [])
    revoke(db, cast.plain, 'dealer_can_view')
  })

  t.test('tells in its heading what the form has besides, and of what is empty only where somebody works', async (t) => {
    const pavel = `/productions/edit/${cast.pavel}`
    set(cast.pavel, { manufacture_id: cast.site, stock_id: null })
    const facts = async (path: string) => {
      const $ = await page('root', path)
      return $('.record-facts > div')
        .toArray()
        .map((line) => textOf($.html(line)).replaceAll(/\s+/g, ' '))
    }
    const ofPavel = await facts(pavel)
    t.ok(ofPavel.some((fact) => /^Production site \w/.test(fact)))
    t.ok(ofPavel.includes('Warehouse —'))
    t.notMatch(ofPavel.join(), 'Telegram')
    t.ok((await facts(`/admins/edit/${cast.clerk}`)).includes('Superadministrator No'), 'no is an answer')
  })

  t.test('names in lists and searches lead to it, also from their company', async (t) => {
    const root = await as('root')
    const links = async (path: string, selector: string) => parseHtml((await root.get(path)).body)(selector).attr('href')
    t.equal(await links('/dealers', `#dealers-${cast.denis} .row-link`), `${denis}?tab=overview&back=%3F`)
    t.equal(await links('/managers', `#managers-${cast.maria} .row-link`), `${maria}?tab=overview&back=%3F`)
    t.equal(await links('/find?q=denisov', `#hit-dealers-${cast.denis}`), `${denis}?tab=overview`)
    t.equal(await links(`/company/edit/${alpha}?tab=overview`, `.people a[href*="/${cast.denis}?"]`), `${denis}?tab=overview`)
  })
})
