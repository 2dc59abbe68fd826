import { eq } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { categories, companies, manufactures, orders, seeded, settings, stocks, users } from '../../src/database/schema/index.ts'
import { type Fields, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { elementsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { dayIn, insertProduct, useCatalog } from '../support/products.ts'

const details = {
  ...{ legal_name: 'Windows LLC', inn: '7707083893', legal_address: 'Tver, Lenina 1' },
  ...{ bank: 'A bank', bik: '044525225', rs: '40702810200000000001' },
}

/** Next, what else the first order needs, what can wait, done. */
const stepsIn = (body: string) => {
  const page = parseHtml(body)
  return page('.first-steps li')
    .toArray()
    .map((step) => ({
      text: page(step).find('h3').text() || page(step).find('a').text(),
      href: page(step).find('a').attr('href'),
      done: page(step).hasClass('is-done'),
    }))
}

t.test('a superadministrator of a new cabinet sees the first steps, ticked as they are done, until the first order', async (t: Test) => {
  const { as, db } = await startCabinet(t)
  const order = db.select().from(orders).all()[0]
  const root = await as('root')
  t.same(stepsIn((await root.get('/')).body), [], 'not where there are orders')
  db.delete(orders).run()
  t.ok(order)
  const steps = stepsIn((await root.get('/')).body)
  t.equal(steps.length, 14)
  t.notMatch((await root.get('/')).body, /Revenue this month/, 'figures wait for an order')
  t.notMatch((await root.get('/')).body, /waiting-title|delayed-title/, 'and so does what waits')
  t.match((await (await as('maria')).get('/')).body, 'No orders yet', 'others are told what will stand there')
  t.same(
    steps.map(({ text, href, done }) => [text, href, done]),
    [
      ['Name your organization', '/settings?then=home#name', false],
      ['Place the first order', '/orders/add', false],
      ['Fill in your legal details', '/settings?then=home#legal_name', false],
      ['Review the order workflow', '/statuses', false],
      ['Set up email', '/settings?tab=environment#mail', false],
      ['Check the time zone', '/settings?tab=environment#time-zone', false],
      ['Enter your name', '/profile#lastname', true],
      ['Add product categories', '/categories/add?then=home', true],
      ['Add the first company', '/company/add?then=home', true],
      ['Add the first dealer', '/dealers/add?then=home', true],
      ['Add the first manager', '/managers/add?then=home', true],
      ['Add a warehouse', '/stocks/add?then=home', true],
      ['Add a production site', '/manufactures/add?then=home', true],
      ['Add somebody in production', '/productions/add?then=home', true],
    ],
  )
  const said = elementsOf((await root.get('/')).body, '.first-steps li').map(textOf)
  t.same(
    said.slice(0, 7),
    [
      'Next step · 1 minute Name your organization Its name stands on every page and in every email, invitations included. Dealers without a manager see its phone or email. Start Later',
      'Place the first order 3 minutes',
      'Fill in your legal details Not filled in: Full legal name, INN, Legal address, Bank, BIK, Bank account 3 minutes',
      'Review the order workflow 5 minutes Looks good',
      'Set up email 5 minutes',
      'Check the time zone 1 minute Looks good',
      'Done: Enter your name',
    ],
    'only what is open is ticked off, and no mail sent where none can be',
  )
  for (const { href } of steps) t.equal((await root.get(String(href))).statusCode, 200, `${href} is a page`)
  await root.post('/settings', { name: 'Windows Ltd', ...details, rs: '' })
  const lacking = stepsIn((await root.get('/')).body).find(({ href }) => href === '/settings?then=home#rs')
  t.equal(lacking?.done, false, 'not without an account')
  t.match((await root.get('/')).body, 'Not filled in: Bank account', 'which is named')
  const hints = elementsOf((await root.get('/settings?then=home')).body, '.form-hint').map(textOf)
  t.equal(hints.filter((hint) => hint === 'Needed for invoices').length, 1, 'and marked where it is filled in')
  t.equal(textOf(elementsOf((await root.get('/settings')).body, '#rs-hint').join()), 'Needed for invoices')
  await root.post('/settings', { name: 'Windows Ltd', ...details })
  for (const step of ['time-zone', 'workflow', 'workflow'])
    t.match(await root.post('/first-steps', { step }), { statusCode: 303, headers: { location: '/' } }, `${step}, also twice`)
  t.equal(elementsOf((await root.get('/')).body, '.first-steps li.is-done button').length, 0)
  const left = stepsIn((await root.get('/')).body).filter(({ done }) => !done)
  t.same(
    left.map(({ text }) => text),
    ['Place the first order', 'Set up email'],
  )
  const names = { stocks, manufactures, categories, company: companies }
  for (const [kind, table] of Object.entries(names)) {
    const href = `/${kind}/add?then=home`
    db.$client.exec('savepoint emptied')
    db.delete(table).run()
    const open = stepsIn((await root.get('/')).body).flatMap(({ href, done }) => (done ? [] : href))
    t.same(
      open.sort(),
      ['/settings?tab=environment#mail', '/orders/add', href].sort(),
      `without any record ${href} is open, and nothing else`,
    )
    db.$client.exec('rollback to emptied; release emptied')
  }
  db.$client.exec('savepoint emptied')
  db.update(users).set({ group_id: 4 }).where(eq(users.group_id, 3)).run()
  t.ok(
    stepsIn((await root.get('/')).body).some(({ href, done }) => href === '/managers/add?then=home' && !done),
    'only managers are managers',
  )
  const unreached = stepsIn((await root.get('/')).body).find(({ text }) => text === 'Enter contacts for dealers')
  t.match(unreached, { href: '/settings?then=home#contact_phone', done: false }, 'without one nobody is there to ask')
  db.update(settings).set({ contact_email: 'office@example.com' }).run()
  t.equal(stepsIn((await root.get('/')).body).find(({ text }) => text === 'Name your organization')?.done, true)
  db.$client.exec('rollback to emptied; release emptied')
  const home = (await root.get('/')).body
  t.equal(textOf(elementsOf(home, '#first-steps-done').join('')), '5 of 6 steps to the first order · 3 minutes left')
  t.match(elementsOf(home, 'progress').join(''), /value="5" max="6"/, 'what can wait is not counted')
  t.same(stepsIn((await (await as('admin')).get('/')).body), [], 'they are for superadministrators')
  const unsent = await root.post('/first-steps', { step: 'mail' })
  t.equal(unsent.statusCode, 422, 'mail that is not set up is not ticked')
  t.match(textsByRole(unsent, 'alert').join(), 'Email is not set up')
  t.equal((await root.post('/first-steps', { step: 'everything' })).statusCode, 422)
  await root.post('/first-steps', { step: 'dismiss' })
  const without = await root.get('/')
  t.same(stepsIn(without.body), [])
  t.match(textsByRole(without, 'status').join(), 'First steps are hidden')
  t.match(elementsOf(without.body, 'form[action="/first-steps"]').join(''), /name="step" value="show"/, 'which can be taken back')
  await root.post('/first-steps', { step: 'show' })
  t.equal(stepsIn((await root.get('/')).body).length, 14)
  await root.post('/first-steps', { step: 'dismiss' })
  const admin = await as('admin')
  t.equal((await admin.post('/first-steps', { step: 'dismiss' })).statusCode, 403)
})

t.test('whose account the environment has made is asked for their name first; entered, it counts as a step that is done', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  db.delete(orders).run()
  db.update(users).set({ lastname: 'Administrator', name: '' }).where(eq(users.id, cast.root)).run()
  const root = await as('root')
  const first = async () => stepsIn((await root.get('/')).body)[0]
  const counted = async () => textOf(elementsOf((await root.get('/')).body, '#first-steps-done').join()).split(' · ')[0]
  t.same(await first(), { text: 'Enter your name', href: '/profile#lastname', done: false })
  t.equal(await counted(), '3 of 6 steps to the first order')
  t.equal((await root.post('/profile', { lastname: 'Root', name: 'Olga', email: 'root@example.com' })).statusCode, 303)
  t.equal((await first())?.text, 'Name your organization')
  t.equal(await counted(), '4 of 6 steps to the first order')
  t.equal(stepsIn((await root.get('/')).body).find(({ text }) => text === 'Enter your name')?.done, true)
})

t.test('a step can wait: the others come first, until it is the only one that the first order needs', async (t: Test) => {
  const { newBrowser, db } = await startCabinet(t, { empty: true, setupToken: 'first' })
  useCatalog(db)
  const root = newBrowser()
  await root.post('/setup/first', { email: 'root@example.com', password: 'a good password', lastname: 'Root', name: 'Olga' })
  const page = async () => parseHtml((await root.get('/')).body)
  const open = async () => {
    const found = await page()
    const steps = found('.is-next h3, .first-steps:not(.first-steps-folded *) li:not(.is-next) a').toArray()
    return [...steps.map((step) => found(step).text()), found('.is-next button[name=later]').length]
  }
  const category = 'Add product categories'
  const product = 'Add products with prices'
  const company = 'Add the first company'
  const name = 'Name your organization'
  const dealer = 'Add the first dealer'
  const order = 'Place the first order'
  t.same(await open(), [category, product, company, name, dealer, order, 1])
  t.match(await root.post('/first-steps', { later: 'category' }), { statusCode: 303, headers: { location: '/' } })
  t.same(await open(), [product, company, name, dealer, order, category, 1])
  t.equal((await page())('.first-steps-folded .first-steps li').length, 9, 'what can wait anyway is folded, and so is what is done')
  for (const later of ['product', 'company', 'name', 'dealer']) await root.post('/first-steps', { later })
  t.same(await open(), [order, category, product, company, name, dealer, 0], 'the last one has nothing to wait for')
  const saved = async (fields: Fields) => {
    const location = String((await root.post('/stocks/add', fields)).headers.location)
    return textOf(parseHtml((await root.get(location)).body)('#follow-up a:first-child').text())
  }
  t.equal(await saved({ name: 'Tver' }), 'Step 2 of 7: place the first order')
  await root.post('/first-steps', { later: 'order' })
  t.equal(await saved({ name: 'Omsk' }), '', 'what somebody has put off is not said again')
  t.equal((await root.post('/first-steps', { later: 'everything' })).statusCode, 422)
})

t.test('whoever comes to a form from the first steps comes back to them, unless there is a link to pass on', async (t: Test) => {
  const { as, db, cast } = await startCabinet(t)
  db.delete(orders).run()
  const root = await as('root')
  const saved = async (page: string, fields: Fields = { name: 'Windows Ltd' }) => {
    const action = parseHtml((await root.get(page)).body)('form[data-guard]').attr('action')
    return (await root.post(String(action ?? page), fields)).headers.location
  }
  t.equal(await saved('/categories/add?then=home', { name: 'Gates' }), '/')
  const home = parseHtml((await root.get('/')).body)
  t.match(textOf(home('.flash').text()), /Gates added/)
  t.match(home('.flash a').attr('href'), /^\/categories\/edit\/\d+$/, 'what was added is one click away')
  t.match(await saved('/categories/add', { name: 'Doors' }), /^\/categories\/edit\//)
  const invited = { lastname: 'New', name: 'Dealer', email: 'new@example.com', company_id: cast.companies.alpha, invite: 1 }
  t.match(await saved('/dealers/add?then=home', invited), /^\/dealers\/edit\/\d+\?tab=invitation/)
  t.equal(await saved('/settings?then=home'), '/')
  t.equal(await saved('/settings'), '/settings')
})

t.test(
  'the test email reaches the superadministrator; when the mail server rejects it, the step stays open with an error',
  async (t: Test) => {
    const server = await startMailServer(t)
    const { as, db } = await startCabinet(t, { environment: { SMTP_URL: server.url, MAIL_FROM: 'cabinet@example.com' } })
    db.delete(orders).run()
    const root = await as('root')
    const open = async () => stepsIn((await root.get('/')).body).find(({ text }) => text === 'Send yourself a test email')?.done
    server.replies.MAIL = '550 no'
    const rejected = await root.post('/first-steps', { step: 'mail' })
    t.equal(rejected.statusCode, 422)
    t.match(textsByRole(rejected, 'alert').join(), 'The mail server rejected the test email')
    t.equal(await open(), false)
    delete server.replies.MAIL
    t.equal((await root.post('/first-steps', { step: 'mail' })).statusCode, 303)
    const home = await root.get('/')
    t.same(textsByRole(home, 'status').slice(0, 1), ['Test email sent to root@example.com'])
    t.equal(stepsIn(home.body).find(({ text }) => text === 'Send yourself a test email')?.done, true)
    t.match(server.letters, [{ to: 'root@example.com', subject: 'Dealer cabinet: Test email', text: /^Email works\.\s*$/ }])
    t.equal(server.letters.length, 1)
    await root.post('/settings', { name: 'Windows Ltd', ...details })
    await root.post('/first-steps', { step: 'time-zone' })
    t.ok(stepsIn((await root.get('/')).body).length, 'as long as one is open they are shown')
    await root.post('/first-steps', { step: 'workflow' })
    t.same(
      stepsIn((await root.get('/')).body).flatMap(({ text, done }) => (done ? [] : text)),
      ['Place the first order'],
      'the last one is an order',
    )
  },
)

t.test('where orders use the catalog, the first steps ask for products', async (t) => {
  const { as, db } = await startCabinet(t)
  db.delete(orders).run()
  const root = await as('root')
  const asked = async () => stepsIn((await root.get('/')).body).find(({ href }) => href?.startsWith('/products/'))
  t.equal(await asked(), undefined)
  useCatalog(db)
  t.match(await asked(), { text: 'Add products with prices', href: '/products/add?then=home', done: false })
  t.match((await root.get('/')).body, 'href="/products/import"', 'or to import them')
  insertProduct(db, { article: 'W-2', active: false })
  t.match(await asked(), { href: '/products/add?then=home', done: false }, 'no dealer could order it, whatever its price')
  const bare = insertProduct(db, { article: 'W-0' }, [])
  const card = `/products/edit/${bare}?then=home#prices`
  t.match(await asked(), { text: 'Enter the missing price', href: card, done: false }, 'what is there lacks only a price')
  t.equal(elementsOf((await root.get(`/products/edit/${bare}`)).body, '#prices').length, 1)
  insertProduct(db, { article: 'W-1' }, [[dayIn(1), 100]])
  t.match(await asked(), { href: card, done: false }, 'a price of tomorrow is none yet')
  insertProduct(db, { article: 'W-3' }, [[dayIn(0), 100]])
  t.match(await asked(), { href: '/products/add?then=home', done: true })
})

t.test('where no company has a manager, the first of what can wait is to give it one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  await root.post('/first-steps', { step: 'workflow' })
  await root.post('/settings', { name: 'Windows Ltd', contact_email: 'office@example.com' })
  const first = async () => stepsIn((await root.get('/')).body)[0]
  t.match(await first(), { href: '/settings?then=home#legal_name' }, 'not while one is looked after')
  db.update(companies).set({ manager_id: null }).run()
  const card = `/company/edit/${cast.companies.alpha}?then=home#manager_id`
  t.match(await first(), { text: 'Assign a manager to the company', href: card, done: false })
  t.equal(elementsOf((await root.get(card)).body, '#manager_id').length, 1)
  db.update(companies).set({ manager_id: cast.maria }).where(eq(companies.id, cast.companies.beta)).run()
  t.match(await first(), { href: '/settings?then=home#legal_name' })
  db.update(companies).set({ manager_id: null }).run()
  db.update(users).set({ group_id: 4 }).where(eq(users.group_id, 3)).run()
  t.match(await first(), { text: 'Add the first manager', href: '/managers/add?then=home', done: false }, 'before that there has to be one')
})

t.test('until the first order every page but home leads to the next step, and back to all of them', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  db.delete(orders).run()
  const root = await as('root')
  const next = async (path: string, fields: Fields, name: Name = 'root') => {
    const browser = await as(name)
    const page = parseHtml((await browser.get(String((await browser.post(path, fields)).headers.location))).body)
    const link = page('#follow-up a:first-child')
    return [textOf(page('.flash [role=status]').text()), textOf(link.text()), link.attr('href')]
  }
  t.equal((await next('/categories/add', { name: 'Gates' }))[1], 'Step 5 of 6: name your organization', 'from whom invitations come')
  await root.post('/settings', { name: 'Windows Ltd' })
  t.same(await next('/categories/add', { name: 'Doors' }), ['Doors added', 'Step 6 of 6: place the first order', '/orders/add'])
  const followUp = async (path: string) => parseHtml((await root.get(path)).body)('#follow-up')
  t.equal(textOf((await followUp('/orders/add')).html() ?? ''), 'Step 6 of 6: place the first order All steps', 'on its own page, too')
  t.same((await followUp('/orders/add')).find('a').attr('href'), '/', 'which then leads only back')
  t.equal((await followUp('/orders')).find('a').attr('href'), '/orders/add')
  t.equal((await followUp('/')).length, 0, 'home has them')
  t.equal((await followUp('/statuses')).length, 0, 'where another step is taken, it says nothing')
  const invited = { lastname: 'New', name: 'Dealer', email: 'new@example.com', company_id: cast.companies.alpha, invite: 1 }
  t.match(await next('/dealers/add', invited), [/added/, 'Step 6 of 6: place the first order'], 'beside the link of an invitation, too')
  t.same((await next('/company/add', { org: 'Gamma' }, 'admin'))[1], '', 'the steps are for superadministrators')
  await root.post('/first-steps', { step: 'dismiss' })
  t.equal((await followUp('/companies')).length, 0)
  await root.post('/first-steps', { step: 'show' })
  t.equal((await followUp('/companies')).length, 1)
  insertOrder(cabinet, 'new')
  t.equal((await followUp('/companies')).length, 0, 'once there is an order, no page')
})

t.test('those who have gone by the steps are congratulated on the first order, until they put it away', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const page = async (browser = root) => parseHtml((await browser.get('/')).body)
  const title = async () => textOf((await page())('#first-steps-title').text())
  t.equal(await title(), '', 'not where orders were there before the steps')
  await root.post('/first-steps', { step: 'workflow' })
  t.equal(await title(), 'The first order is placed')
  const waits = async () => textOf((await page())('.caught-up').text())
  t.equal(await waits(), '', 'that nothing waits is not said beside steps')
  t.equal((await page())('.first-steps-end a').attr('href'), '/orders/board')
  t.equal((await page())('.first-steps .is-next').length, 1, 'what is left is still put forward')
  t.equal((await page())('.first-steps-end .btn-primary').length, 0, 'one button is the next')
  const left = (await page())('.first-steps > li:not(.is-done) a')
  t.same(
    left.toArray().map((one) => one.attribs.href),
    ['/settings?then=home#name', '/settings?then=home#legal_name', '/settings?tab=environment#mail', '/settings?tab=environment#time-zone'],
  )
  const saved = await root.get(String((await root.post('/categories/add', { name: 'Gates' })).headers.location))
  t.equal(parseHtml(saved.body)('.flash > a').length, 0, 'after the first order saving leads nowhere')
  await root.post('/settings', { name: 'Windows Ltd', ...details })
  for (const step of ['mail', 'time-zone'])
    db.insert(seeded)
      .values({ name: `first step: ${step}`, at: 1 })
      .run()
  t.equal((await page())('.first-steps .is-next').length, 0)
  t.equal((await page())('.first-steps-end .btn-primary').length, 1)
  t.equal((await page(await as('admin')))('#first-steps-title').length, 0)
  await root.post('/first-steps', { step: 'dismiss' })
  t.equal(await title(), '')
  t.match(await waits(), "You're all caught up.")
})

t.test('the steps of a new installation stay when its first orders come before any step is ticked by hand', async (t) => {
  const { newBrowser, db } = await startCabinet(t, { empty: true, setupToken: 'first' })
  const root = newBrowser()
  const owner = { email: 'root@example.com', password: 'a good password', lastname: 'Root', name: 'Olga' }
  const answer = await root.post('/setup/first', owner)
  t.equal(answer.statusCode, 303, answer.body)
  const events = elementsOf((await root.get('/security-log')).body, 'tr[id^=security-log-]').map(textOf)
  t.equal(events.length, 1)
  t.match(events[0], /Cabinet set up .*Root Olga/, 'the log begins with who set it up')
  const dealer = db.insert(users).values({ group_id: 2, email: 'd@example.com', password: '', lastname: 'D', name: 'D' }).returning().get()
  db.insert(orders).values({ dealer_id: dealer.id }).run()
  const home = (await root.get('/')).body
  t.equal(textOf(elementsOf(home, '#first-steps-title').join('')), 'The first order is placed')
  t.ok(
    stepsIn(home).some(({ href, done }) => href === '/company/add?then=home' && !done),
    'what is missing is still named',
  )
})

t.test(
  'the first steps put the next one forward with its button, fold what is done, and offer to import what is still missing',
  async (t) => {
    const { as, db } = await startCabinet(t)
    db.delete(orders).run()
    const root = await as('root')
    const page = async () => parseHtml((await root.get('/')).body)
    const forward = async () => {
      const next = (await page())('.first-steps .is-next')
      return next.toArray().map((one) => parseHtml('')(one).find('.btn-primary').attr('aria-label'))
    }
    t.same(await forward(), ['Start: Name your organization'])
    await root.post('/settings', { name: 'Windows Ltd' })
    t.same(await forward(), ['Start: Place the first order'])
    db.$client.exec('savepoint emptied')
    db.delete(categories).run()
    t.same(await forward(), ['Start: Add product categories'], 'the first of what an order needs')
    db.$client.exec('rollback to emptied; release emptied')
    const folded = (await page())('details.first-steps-folded')
    t.equal(folded.attr('open'), undefined)
    t.same(
      folded
        .find('summary')
        .toArray()
        .map((one) => parseHtml('')(one).text()),
      ['Can wait: 4', 'Done: 9'],
    )
    t.equal(folded.last().find('.first-steps > li').length, 9)

    const imports = async () =>
      (await page())('.first-steps-imports a')
        .toArray()
        .map((link) => link.attribs.href)
    t.same(await imports(), ['/products/import'], 'companies and dealers are there')
    db.update(users).set({ group_id: 4 }).where(eq(users.group_id, 2)).run()
    t.same(await imports(), ['/products/import', '/dealers/import'])
    t.ok(
      stepsIn((await root.get('/')).body).some(({ href, done }) => href === '/dealers/add?then=home' && !done),
      'only dealers are dealers',
    )
    useCatalog(db)
    t.same(await imports(), ['/products/import', '/dealers/import'])
    for (const href of await imports()) t.equal((await root.get(String(href))).statusCode, 200, String(href))
    t.equal((await page())('.tiles').length, 0, 'and nothing counts to zero before the first order')
  },
)
