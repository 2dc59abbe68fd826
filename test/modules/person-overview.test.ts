import { eq } from 'drizzle-orm'
import t from 'tap'
import { invitations, users } from '../../src/database/schema/index.ts'
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
  const denis = `/dealers/edit/${cast.denis}`
  const maria = `/managers/edit/${cast.maria}`

  t.test('says how to reach somebody, and leads there', async (t) => {
    set(cast.denis, { phone: '+7(901) 222 33 44' })
    const facts = (await page('maria', denis))('.record-facts a')
      .toArray()
      .map(({ attribs }) => attribs.href)
    t.same(facts, [`/company/edit/${alpha}?tab=overview`, 'mailto:denis@example.com', 'tel:+79012223344'])
    revoke(db, cast.maria, 'company_manager_can_view')
    revoke(db, cast.maria, 'company_manager_can_edit')
    t.equal((await page('maria', denis))('.record-facts a').attr('href'), 'mailto:denis@example.com', 'the company is only named')
    grant(db, cast.maria, 'company_manager_can_view', 'company_manager_can_edit')
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
    t.same(await partOf('root', maria, 'companies'), ['Alpha Windows Open orders: 3'])
    grant(db, cast.clerk, 'manager_can_view')
    t.same(await partOf('clerk', maria, 'companies'), [])
    grant(db, cast.clerk, 'company_can_view')
    const $ = await page('clerk', maria)
    t.equal($('[aria-labelledby=companies-title] dl a').attr('href'), `/company/edit/${alpha}?tab=overview`)
    t.equal($('[aria-labelledby=companies-title] header a').attr('href'), `/companies?manager=${cast.maria}`)
    t.notMatch(linesOf($, 'companies').join(), 'Бета')
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
    t.match(await partOf('root', roman, 'sign-in'), ['Sessions 1'])
    db.insert(invitations)
      .values({ user_id: cast.roman, token_hash: 'x', email: 'roman@example.com', at: Date.now(), inviter_name: 'A' })
      .run()
    t.match(await partOf('maria', roman, 'sign-in'), [/^Invited \d\d\.\d\d\.\d{4}/])
    t.equal((await page('maria', roman))('[aria-labelledby=sign-in-title] a').attr('href'), `${roman}?tab=invitation`)
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    const read = await page('maria', roman)
    t.match(linesOf(read, 'sign-in'), [/^Invited/])
    t.same([read('[aria-labelledby=sign-in-title] a').length, read('[data-hotkey=e]').length], [0, 0], 'nothing to do for whoever reads')
    grant(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await page('maria', roman))('[data-hotkey=e]').attr('href'), roman)
    t.equal(parseHtml((await (await as('maria')).get(roman)).body)('form.record-form').length, 1, 'the address alone is the form')
  })

  t.test('tells what the form has besides, and in one line what is empty', async (t) => {
    const pavel = `/productions/edit/${cast.pavel}`
    set(cast.pavel, { manufacture_id: cast.site, stock_id: null })
    const details = async (name: Name, path = pavel) => {
      const $ = await page(name, path)
      return $('section[aria-label=Details] :is(dl > div, .record-empty)')
        .toArray()
        .map((line) => textOf($.html(line)))
    }
    t.match(await details('root'), [/^Production site \S/, 'Not filled in: Warehouse'])
    t.match(await details('root', `/admins/edit/${cast.clerk}`), ['Superadministrator No'], 'no is an answer')
  })

  t.test('names in lists and searches lead to it, also from their company', async (t) => {
    const root = await as('root')
    const links = async (path: string, selector: string) => parseHtml((await root.get(path)).body)(selector).attr('href')
    t.equal(await links('/dealers', `#dealers-${cast.denis} .row-link`), `${denis}?tab=overview`)
    t.equal(await links('/managers', `#managers-${cast.maria} .row-link`), `${maria}?tab=overview`)
    t.equal(await links('/find?q=denisov', `#hit-dealers-${cast.denis}`), `${denis}?tab=overview`)
    t.equal(await links(`/company/edit/${alpha}?tab=overview`, `.people a[href*="/${cast.denis}?"]`), `${denis}?tab=overview`)
  })
})
