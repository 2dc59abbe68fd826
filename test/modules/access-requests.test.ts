import { eq, gt } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { type Actor, allows } from '../../src/core/access.ts'
import { type PolicyKey, policyKeys } from '../../src/core/policies.ts'
import { accessRequests, changes, policies, userPolicies, users } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { translator } from '../../src/i18n/translate.ts'
import { type AccessRequest, decisionRule } from '../../src/modules/users/access-requests/access-request.ts'
import { actionLabels, summarizeAccess } from '../../src/modules/users/access-tab.ts'
import { maySetRight, rightsRules } from '../../src/modules/users/rights/access.ts'
import { staffTypes } from '../../src/modules/users/staff.ts'
import type { User } from '../../src/modules/users/user.ts'
import { type Answer, type Cabinet, htmx, startCabinet } from '../support/cabinet.ts'
import { grant, names, revoke } from '../support/cast.ts'
import { controlsOf, elementById, elementsOf, fieldOf, hiddenOf, parseHtml, rowsOf, textOf, textsByRole } from '../support/html.ts'
import { performer } from '../support/performer.ts'

const path = '/rights/requests'
const russian = { 'accept-language': 'ru' }

const stored = ({ db }: Cabinet) =>
  db
    .select({
      user: accessRequests.user_id,
      key: policies.key,
      note: accessRequests.note,
      state: accessRequests.state,
      by: accessRequests.decided_by,
    })
    .from(accessRequests)
    .innerJoin(policies, eq(policies.id, accessRequests.policy_id))
    .orderBy(accessRequests.id)
    .all()

const lastId = ({ db }: Cabinet) =>
  Math.max(
    ...db
      .select({ id: accessRequests.id })
      .from(accessRequests)
      .all()
      .map(({ id }) => id),
  )

function holds({ db }: Cabinet, userId: number, key: PolicyKey): boolean {
  const of = db.select({ id: userPolicies.policy_id, key: policies.key, value: userPolicies.value, user: userPolicies.user_id })
  const rows = of.from(userPolicies).innerJoin(policies, eq(policies.id, userPolicies.policy_id)).all()
  return rows.some((row) => row.user === userId && row.key === key && row.value)
}

const alert = (answer: Answer) => textsByRole(answer, 'alert').join(' ')
const told = async (browser: Awaited<ReturnType<Cabinet['as']>>) => textsByRole(await browser.get(path), 'status').join(' ')
const offered = ({ body }: Answer) =>
  parseHtml(body)('[name=policy_key][value], [name=policy_key] option')
    .toArray()
    .map(({ attribs }) => attribs.value)

t.test('a refused page names the missing permission and offers to request it', async (t) => {
  const { as, cast, db } = await startCabinet(t)
  const clerk = await as('clerk')
  const maria = await as('maria')

  t.test('a page that is refused for lack of a permission names that permission', async (t) => {
    const page = await clerk.get('/dealers')
    t.equal(page.statusCode, 403)
    t.match(alert(page), 'This needs the "View all dealers" or "View own dealers" (Dealers) permission.')
    t.match(alert(await clerk.get('/dealers', htmx)), 'This needs the "View all dealers" or "View own dealers" (Dealers) permission.')
    t.match(alert(await clerk.get('/dealers', russian)), 'Нужно право «Просмотр всех дилеров» или «Просмотр своих дилеров» (Дилеры).')
  })

  t.test('a record outside the scope of a permission is refused with the scope and without a word about the record', async (t) => {
    const page = await maria.get(`/dealers/edit/${cast.daria}`)
    t.equal(page.statusCode, 403)
    t.match(alert(page), 'The "View own dealers" permission is limited to dealers whose manager you are.')
    t.notMatch(page.body, /Дарья|Королёва|daria@/)
    t.match(
      alert(await maria.get(`/dealers/edit/${cast.daria}`, russian)),
      'Право «Просмотр своих дилеров» распространяется только на дилеров, менеджер которых – вы.',
    )
  })

  t.test('an action that only superadministrators may perform says so when it is refused', async (t) => {
    grant(db, cast.admin, 'admin_can_view', 'admin_can_edit', 'manager_can_edit')
    const answer = await (await as('admin')).post(`/admins/${cast.root}/active`, { value: 0 })
    t.equal(answer.statusCode, 403)
    t.match(alert(answer), 'Limited to users who are not superadministrators. Only superadministrators have full access.')
  })

  t.test('a refused page offers to request a permission that this user could be given, and nothing else', async (t) => {
    t.same(offered(await clerk.get('/dealers')), ['dealer_can_view', 'dealer_manager_can_view'])
    t.same(offered(await clerk.get('/managers')), ['manager_can_view'])
    t.equal(parseHtml((await clerk.get('/managers')).body)('#note').attr('maxlength'), '500')
    t.same(offered(await (await as('pavel')).get('/managers')), ['manager_can_view'], 'production has rights on a tab')
    t.same(offered(await (await as('denis')).get('/managers')), [], 'dealers have none')
    t.same(offered(await maria.get(`/dealers/edit/${cast.daria}`)), [], 'whose a record is, no right changes')
    t.same(offered(await clerk.get('/no/such/page')), [])
    const bin = await (await as('pavel')).get('/bin')
    t.match(
      alert(bin),
      /^You don't have access This needs one of \d+ permissions, such as "Delete news" \(News\)\. Request one .* Whom to ask: .* Root Olga .* Error 403$/,
    )
    t.ok(offered(bin).length > 10, 'of many each can be requested')
    const fragment = await clerk.get('/managers', htmx)
    t.match(fragment.body, `${path}?policy_key=manager_can_view`, 'a fragment leads to the form')
    t.match(textsByRole(fragment, 'alert')[0], /Request this permission$/)
    t.match(hiddenOf(await clerk.get('/managers'), 'once'), [/^[\w-]{36}$/], 'sent twice it is one request')
    t.same(offered(await clerk.get(`${path}?policy_key=manager_can_view`)), ['manager_can_view'])
    await clerk.post(path, { policy_key: 'manager_can_view' })
    const awaited = (page: Answer) => /You requested "[^"]+"/.exec(textOf(page.body))?.[0]
    t.equal(awaited(await clerk.get('/managers')), 'You requested "View managers"')
    t.equal(awaited(await clerk.get('/companies')), undefined, 'a page says nothing of requests that would not open it')
    db.delete(accessRequests).run()
    t.equal((await clerk.get(`${path}?policy_key=nonsense&policy_key=toString`)).statusCode, 200)
  })
})

t.test('a user requests a permission', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const clerk = await as('clerk')

  t.test('a request for a permission is stored once, and the user is told that it awaits a decision', async (t) => {
    const answer = await clerk.post(path, { policy_key: 'dealer_can_view', note: '  For the\r\ncalls ' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, path)
    t.match(await told(clerk), 'Access requested: "View all dealers". You will get it once someone approves.')
    t.equal((await clerk.post(path, { policy_key: 'dealer_can_view', note: 'Again' })).statusCode, 303)
    t.match(await told(clerk), 'You already requested "View all dealers". Awaiting decision.')
    t.same(stored(cabinet), [{ user: cast.clerk, key: 'dealer_can_view', note: 'For the\ncalls', state: 'open', by: null }])
    const page = await clerk.get(path)
    t.match(textOf(elementById(page, `my-requests-${lastId(cabinet)}`) ?? ''), 'Awaiting decision')
    t.equal(parseHtml(page.body)('h1').text(), 'Access requests')
    t.equal(parseHtml((await clerk.get(path, russian)).body)('h1').text(), translator('ru')('Access requests'))
    const refused = await clerk.get('/dealers')
    t.same(offered(refused), ['dealer_manager_can_view'], 'the refused page knows it')
    t.match(textOf(refused.body), 'You requested "View all dealers" on')
    const created_at = new Date(2026, 0, 15, 23, 30).getTime()
    db.update(accessRequests)
      .set({ created_at })
      .where(eq(accessRequests.id, lastId(cabinet)))
      .run()
    t.match(textOf((await clerk.get('/dealers')).body), 'You requested "View all dealers" on 15.01.2026 23:30. Awaiting decision.')
    await clerk.post(path, { policy_key: 'manager_can_edit' })
    await clerk.post(path, { policy_key: 'manager_can_view' })
    t.match(textsByRole(await clerk.get('/managers', htmx), 'alert')[0], /My requests$/, 'a fragment offers to look at what was requested')
    db.delete(accessRequests).where(gt(accessRequests.created_at, created_at)).run()
  })

  t.test('a request submitted twice is stored once', async (t) => {
    const before = stored(cabinet).length
    const [once = ''] = hiddenOf(await clerk.get('/managers'), 'once')
    for (let time = 0; time < 2; time++) {
      const { statusCode } = await clerk.post(path, { policy_key: 'manager_can_view', once })
      t.equal(statusCode, 303)
    }
    t.equal(stored(cabinet).length, before + 1)
  })

  t.test('a request for a permission that the user already has is not stored', async (t) => {
    const before = stored(cabinet).length
    t.equal((await clerk.post(path, { policy_key: 'news_can_view' })).statusCode, 303)
    t.match(await told(clerk), 'You already have "View news".')
    t.equal(stored(cabinet).length, before)
  })

  t.test('a request with an unknown permission or a note that is too long is refused (422) and changes nothing', async (t) => {
    const before = stored(cabinet).length
    for (const policy_key of ['', 'nonsense', 'constructor', '__proto__'])
      t.equal((await clerk.post(path, { policy_key })).statusCode, 422, policy_key)
    t.equal((await clerk.post(path, {})).statusCode, 422)
    const long = await clerk.post(path, { policy_key: 'company_can_view', note: 'я'.repeat(501) })
    t.equal(long.statusCode, 422)
    t.match(fieldOf(long, 'note'), { invalid: true, value: 'я'.repeat(501), describedBy: ['note-hint', 'note-error'] })
    t.ok(elementById(long, 'note-error'))
    t.equal(stored(cabinet).length, before)
    const turned = await clerk.post(path, { policy_key: 'company_can_view', note: 'Please\u2028!' })
    t.equal(turned.statusCode, 422)
    t.equal(textOf(elementById(turned, 'note-error') ?? ''), 'Remove unsupported characters.')
    t.equal((await clerk.post(path, { policy_key: 'company_can_view', note: 'я'.repeat(500) })).statusCode, 303)
  })

  t.test('dealers cannot request permissions (403), and nobody can while impersonating', async (t) => {
    const before = stored(cabinet).length
    const denis = await as('denis')
    t.equal((await denis.get(path)).statusCode, 403)
    t.equal((await denis.post(path, { policy_key: 'dealer_can_view' })).statusCode, 403)
    const root = await cabinet.newBrowser()
    await root.post('/login', { email: 'root@example.com', password: 'a good password' })
    await root.get(`/impersonate/${cast.plain}`)
    const page = await root.get('/managers')
    t.equal(page.statusCode, 403)
    t.same(offered(page), [], 'nothing is offered in the name of another')
    t.equal((await root.post(path, { policy_key: 'manager_can_view' })).statusCode, 403)
    t.equal(stored(cabinet).length, before)
  })

  t.test('deleting a user deletes their requests', async (t) => {
    await (await as('plain')).post(path, { policy_key: 'manager_can_view' })
    await (await as('root')).post('/managers/delete', { id: cast.plain })
    t.equal(db.select().from(accessRequests).where(eq(accessRequests.user_id, cast.plain)).get(), undefined)
  })
})

t.test('requests for permissions are decided', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const [clerk, root, admin, plain] = await Promise.all([as('clerk'), as('root'), as('admin'), as('plain')])
  const ask = async (name: 'clerk' | 'plain' | 'root', policy_key: PolicyKey) => {
    await (await as(name)).post(path, { policy_key, note: `Please, ${name}` })
    return lastId(cabinet)
  }
  const sees = async (browser: typeof root, id: number) => Boolean(elementById(await browser.get(path), `requests-${id}`))
  const menuOf = async (browser: typeof root) => elementsOf((await browser.get('/')).body, '.sidebar a[href="/rights/requests"]')[0]

  t.test('a superadministrator, who lacks nothing, reads nothing of requests of their own', async (t) => {
    const hasOwn = async (browser: typeof root) => Boolean(elementById(await browser.get(path), 'requests-mine'))
    t.same([await hasOwn(root), await hasOwn(plain)], [false, true])
  })

  t.test('a request is shown to exactly those who may switch that permission', async (t) => {
    const id = await ask('plain', 'dealer_can_view')
    t.ok(await sees(root, id))
    t.match(textOf((await menuOf(root)) ?? ''), /Access requests Pending: 1/)
    t.match(textOf((await root.get('/')).body), /Access requests 1/, 'the dashboard counts it')
    t.equal(await menuOf(admin), undefined, 'who may change no rights has no entry')
    t.equal((await admin.post(`${path}/${id}`, { decision: 'grant' })).statusCode, 403)
    grant(db, cast.admin, 'manager_can_view', 'manager_can_edit_policy')
    t.ok(await sees(admin, id), 'now they may')
    revoke(db, cast.admin, 'dealer_can_view')
    t.notOk(await sees(admin, id), 'nobody gives what they do not hold')
    t.match(textOf((await menuOf(admin)) ?? ''), /Access requests$/, 'the entry stays, without a number')
    const refused = await admin.post(`${path}/${id}`, { decision: 'grant' })
    t.equal(refused.statusCode, 403)
    t.match(alert(refused), 'Limited to permissions you have yourself.')
    grant(db, cast.admin, 'dealer_can_view')
    const other = await ask('clerk', 'dealer_can_view')
    t.notOk(await sees(admin, other), "administrators' rights are another policy")
    const link = `/managers/edit/${cast.plain}?tab=rights&amp;q=dealer_can_view`
    t.match((await admin.get(path)).body, `href="${link}"`)
    t.match((await admin.get(link.replace('&amp;', '&'))).body, 'id="rights-dealer_can_view"')
    db.update(users).set({ active: false }).where(eq(users.id, cast.plain)).run()
    t.notOk(await sees(admin, id), 'requests of people who are switched off rest')
    t.match(
      textOf((await admin.get(path)).body),
      'No pending requests Whoever lacks a permission can ask for it. Requests that you can approve appear here.',
    )
    db.update(users).set({ active: true }).where(eq(users.id, cast.plain)).run()
  })

  t.test('approving a request grants the permission, writes the history and happens once', async (t) => {
    const id = await ask('plain', 'company_can_view')
    t.equal((await admin.post(`${path}/${id}`, { decision: 'maybe' })).statusCode, 422)
    t.equal((await plain.get('/companies')).statusCode, 403)
    t.equal((await admin.post(`${path}/${id}`, { decision: 'grant' })).statusCode, 303)
    t.match(await told(admin), 'Approved: Plainer Peter now has "View all companies"')
    t.equal((await plain.get('/companies')).statusCode, 200)
    t.match(stored(cabinet).at(-1), { key: 'company_can_view', state: 'granted', by: cast.admin })
    const change = db.select().from(changes).where(eq(changes.record_id, cast.plain)).all().at(-1)
    t.match(change, { actor_id: cast.admin, entity: 'users', fields: { 'rights.company_can_view': [false, true] } })
    const decided_at = new Date(2026, 0, 15, 23, 30).getTime()
    db.update(accessRequests).set({ decided_at }).where(eq(accessRequests.id, id)).run()
    t.match(textOf(elementById(await plain.get(path), `my-requests-${id}`) ?? ''), 'Approved on 15.01.2026 23:30')
    t.equal((await root.post(`${path}/${id}`, { decision: 'decline' })).statusCode, 409, 'the second is told')
    t.ok(holds(cabinet, cast.plain, 'company_can_view'))
  })

  t.test('declining a request grants nothing, and the user may request again', async (t) => {
    const id = await ask('plain', 'company_can_add')
    t.equal((await root.post(`${path}/${id}`, { decision: 'decline' })).statusCode, 303)
    t.match(await told(root), 'Declined: Plainer Peter did not get "Add companies"')
    t.notOk(holds(cabinet, cast.plain, 'company_can_add'))
    const decided_at = new Date(2026, 0, 15, 23, 30).getTime()
    db.update(accessRequests).set({ decided_at }).where(eq(accessRequests.id, id)).run()
    t.match(textOf(elementById(await plain.get(path), `my-requests-${id}`) ?? ''), 'Declined on 15.01.2026 23:30')
    const offered = await plain.get(`${path}?policy_key=company_can_add`)
    t.equal(controlsOf(offered.body).filter(({ name, value }) => name === 'policy_key' && value === 'company_can_add').length, 1)
    t.not(await ask('plain', 'company_can_add'), id)
  })

  t.test('switching the permission on the tab approves the request', async (t) => {
    const id = await ask('clerk', 'company_can_view')
    await root.post(`/admins/edit/${cast.clerk}/rights/company_can_view`, { value: 1 })
    t.match(stored(cabinet).at(-1), { state: 'granted', by: cast.root })
    t.notOk(await sees(root, id))
    await ask('clerk', 'stock_can_view')
    await root.post(`/admins/edit/${cast.clerk}/rights`, { category: 'Reference lists', value: 1 })
    t.match(stored(cabinet).at(-1), { key: 'stock_can_view', state: 'granted' })
  })

  t.test('a decision closes one request of one user, and leaves every other as it is', async (t) => {
    const state = (id: number) => db.select().from(accessRequests).where(eq(accessRequests.id, id)).get()?.state
    const [first, other, colleague] = [
      await ask('plain', 'manager_can_delete'),
      await ask('plain', 'dealer_can_add'),
      await ask('clerk', 'manager_can_delete'),
    ]
    t.equal((await root.post(`${path}/${first}`, { decision: 'decline' })).statusCode, 303)
    t.same([first, other, colleague].map(state), ['declined', 'open', 'open'])
    const again = await ask('plain', 'manager_can_delete')
    await root.post(`${path}/${again}`, { decision: 'grant' })
    t.same([first, again, other, colleague].map(state), ['declined', 'granted', 'open', 'open'], 'what was decided stays so')
    t.notOk(holds(cabinet, cast.clerk, 'manager_can_delete'))
    t.notOk(holds(cabinet, cast.plain, 'dealer_can_add'))
    await root.post(`/managers/edit/${cast.plain}/rights/manager_can_delete`, { value: 0 })
    t.same([first, again].map(state), ['declined', 'granted'])
    await root.post(`/managers/edit/${cast.plain}/rights/dealer_can_add`, { value: 0 })
    t.equal(state(other), 'open', 'revoking what they do not have decides nothing')
    const handed = await ask('plain', 'stock_can_view')
    grant(db, cast.plain, 'stock_can_view')
    t.equal(state(handed), 'open', 'a permission written into the database by hand decides nothing either')
    await root.post(`/managers/edit/${cast.plain}/rights/stock_can_view`, { value: 0 })
    t.equal(state(handed), 'declined', 'taking it away does')
    t.match(textOf(elementById(await plain.get(path), `my-requests-${handed}`) ?? ''), 'Declined on')
  })

  t.test('the page names who asks for what and why, and lists only their own requests to each', async (t) => {
    const id = await ask('plain', 'manufacture_can_edit')
    const cells = rowsOf(await root.get(path), 'requests').find((row) => row.id === id)?.cells
    t.match(cells, {
      person: 'Plainer Peter',
      right: 'Edit production sites Reference lists',
      note: 'Please, plain',
      created_at: 'now',
      decision: 'Approve Decline',
    })
    const { created_at = 0 } = db.select().from(accessRequests).where(eq(accessRequests.id, id)).get() ?? {}
    const waiting = parseHtml((await root.get(path)).body)
    t.equal(waiting(`#requests-${id} [data-col=created_at]`).attr('title'), formatDateTime(created_at))
    const buttons = waiting(`#requests-${id} button`).toArray()
    t.same(
      buttons.map(({ attribs }) => attribs['aria-label']),
      ['Approve', 'Decline'].map((word) => `${word}: Plainer Peter, Edit production sites`),
      'heard apart from those of other rows',
    )
    const open = rowsOf(await root.get(path), 'requests').map((row) => row.id)
    t.ok(open.length > 1)
    t.same(
      open,
      open.toSorted((one, other) => one - other),
      'whoever has waited longest comes first',
    )
    const mine = rowsOf(await plain.get(path), 'my-requests')
    const own = db.select().from(accessRequests).where(eq(accessRequests.user_id, cast.plain)).all()
    t.same(
      mine.map((row) => row.id),
      own.map((one) => one.id).reverse(),
      'the newest first',
    )
    t.match(mine[0]?.cells, { right: 'Edit production sites Reference lists', note: 'Please, plain', state: 'Awaiting decision' })
    t.notMatch((await plain.get(path)).body, 'Needs your decision', 'who decides nothing is shown no decisions')
    t.match(textOf((await (await as('maria')).get(path)).body), 'No requests yet')
  })

  t.test('nobody decides their own request (403) or one that does not exist (404)', async (t) => {
    grant(db, cast.clerk, 'admin_can_view', 'admin_can_edit_policy')
    await clerk.post(path, { policy_key: 'order_can_view' })
    revoke(db, cast.clerk, 'order_can_view')
    await clerk.post(path, { policy_key: 'order_can_view' })
    const id = lastId(cabinet)
    grant(db, cast.clerk, 'order_can_view')
    t.notOk(await sees(clerk, id))
    t.equal((await clerk.post(`${path}/${id}`, { decision: 'grant' })).statusCode, 403)
    for (const nothing of [987654, 'word', 0]) t.equal((await root.post(`${path}/${nothing}`, { decision: 'grant' })).statusCode, 404)
    t.equal((await plain.post(`${path}/987654`, { decision: 'grant' })).statusCode, 403, 'without any right it does not matter')
  })
})

t.test('for every set of permissions, those who may decide a request are those who may switch the permission', async (t) => {
  const { app, cast, db } = await startCabinet(t)
  const kinds = Object.values(staffTypes(app))
  const rule = decisionRule(kinds)
  const everybody = db.select().from(users).all()
  const deciding = policyKeys.filter((key) => /^(admin|manager|production)_can_(view|edit_policy)$/.test(key))
  const staff = names.map((name) => everybody.find(({ id }) => id === cast[name]) as User)
  fc.assert(
    fc.property(
      fc.constantFrom(...staff.filter(({ group_id }) => group_id !== 2)),
      fc.constantFrom(...staff.filter(({ group_id }) => group_id !== 2)),
      fc.subarray([...deciding, 'dealer_can_view' as const]),
      (who, person, held) => {
        const actor = { ...performer(who), policies: new Set<string>(held) } as Actor
        const kind = kinds.find(({ group }) => group === person.group_id)
        const edit = kind?.rightsPolicy && rightsRules(kind, kind.rightsPolicy).edit
        const expected = Boolean(edit && allows(edit, actor, person) && maySetRight(actor, 'dealer_can_view', true))
        return allows(rule, actor, { person, key: 'dealer_can_view' } as AccessRequest) === expected
      },
    ),
    { numRuns: 1000 },
  )
})

t.test('the access tab of a user shows what they can do and why', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, cast, db } = cabinet
  const root = await as('root')
  const cards = {
    [`/admins/edit/${cast.clerk}`]: 'admins',
    [`/dealers/edit/${cast.denis}`]: 'dealers',
    [`/managers/edit/${cast.maria}`]: 'managers',
    [`/productions/edit/${cast.pavel}`]: 'productions',
  }

  t.test('only a permission that exists can be requested (422)', async (t) => {
    const before = stored(cabinet).length
    const refused = await (await as('plain')).post(path, { policy_key: 'nonsense', note: '' })
    t.equal(refused.statusCode, 422)
    t.match(alert(refused), 'This permission does not exist')
    t.equal(stored(cabinet).length, before)
  })

  t.test('the access tab exists on the cards of all four user types, in both languages', async (t) => {
    for (const card of Object.keys(cards)) {
      t.match((await root.get(card)).body, '?tab=access', card)
      const page = await root.get(`${card}?tab=access`)
      t.equal(page.statusCode, 200, card)
      t.ok(elementById(page, 'abilities'))
      t.match(parseHtml((await root.get(`${card}?tab=access`, russian)).body)('#abilities').text(), /[а-яё]{5}/)
    }
  })

  t.test('the access tab folds the sections that are closed to somebody, and what they may not do in the others', async (t) => {
    const $ = parseHtml((await root.get(`/dealers/edit/${cast.denis}?tab=access`)).body)
    const sections = (part: string) =>
      $(`${part} tbody th`)
        .toArray()
        .map((one) => $(one).text().trim())
    const closed = '#abilities > .access-closed'
    t.match(textOf($.html($(`${closed} > summary`))), `Sections without access: ${sections(closed).length}`)
    const open = sections('#abilities > .table-responsive')
    t.ok(open.includes('Orders') && sections(closed).includes('Statuses'))
    t.same(
      open.filter((one) => sections(closed).includes(one)),
      [],
    )
    t.notMatch($(closed).find('.access-action').text(), /\b(Yes|Limited)\b/)
    const more = $('#abilities > .table-responsive .access-more')
    t.notMatch(more.children('.access-action').text(), /\bNo\b/)
    t.notMatch(more.find('.access-refused').text(), /\b(Yes|Limited)\b/)
    t.match(more.find('.access-refused').text(), /Remind dealers\s+No/)
  })

  t.test('administrators who may view the card see its access tab, and nobody else does', async (t) => {
    const admin = await as('admin')
    t.equal((await admin.get(`/dealers/edit/${cast.denis}?tab=access`)).statusCode, 200)
    t.equal((await admin.get(`/managers/edit/${cast.maria}?tab=access`)).statusCode, 403)
    const maria = await as('maria')
    t.notMatch((await maria.get(`/dealers/edit/${cast.denis}`)).body, 'tab=access')
    const refused = await maria.get(`/dealers/edit/${cast.denis}?tab=access`)
    t.equal(refused.statusCode, 403)
    t.match(alert(refused), /Available only to: Administrators\. Whom to ask: .*Root Olga/, 'who does it is named')
    t.notMatch(alert(await (await as('denis')).get(`/dealers/edit/${cast.denis}?tab=access`)), 'Root Olga', 'not to dealers')
  })

  t.test('the access tab says why something is allowed and what is missing otherwise', async (t) => {
    const tab = (await root.get(`/managers/edit/${cast.maria}?tab=access`)).body
    const $ = parseHtml(tab)
    t.equal($('td[data-label=More] summary .visually-hidden').length, 0, 'what has no column of its own is named')
    const labels = (column: string) =>
      new Set(
        $(`td[data-label=${column}] summary span:first-child`)
          .toArray()
          .map((one) => $(one).text()),
      )
    t.same(labels('Details'), new Set(['View details']))
    t.notOk(labels('More').has('Open'), 'what opens a section stands in its own column')
    const icons = (answer: string) => {
      const summaries = $('summary')
        .toArray()
        .map((one) => $(one))
      return new Set(summaries.flatMap((one) => (one.text().trim().endsWith(answer) ? (one.find('svg').html() ?? []) : [])))
    }
    const [yes, no] = [icons('Yes'), icons('No')]
    t.same([yes.size, no.size, new Set([...yes, ...no]).size], [1, 1, 2], 'the sign of Yes is not that of No')
    const text = textOf(tab)
    t.match(text, 'View list Limited The "View own dealers" permission is limited to dealers whose manager you are.')
    t.match(text, 'Add Yes You have the "Add companies" (Companies) permission.')
    t.match(
      text,
      'This needs the "View managers" (Managers) permission. This needs the "Edit managers" (Managers) permission.',
      'all that is missing',
    )
    t.match(textOf((await root.get(`/admins/edit/${cast.root}?tab=access`)).body), 'You are a superadministrator.')
    t.match(
      textOf((await root.get(`/productions/edit/${cast.pavel}?tab=access`)).body),
      'The Production group is limited to the warehouse you work at.',
    )
  })

  t.test('the access tab of a deactivated user says that they have no access', async (t) => {
    const page = await root.get(`/dealers/edit/${cast.ivan}?tab=access`)
    t.match(page.body, 'Inactive Ivan is deactivated and has no access.')
    t.notOk(elementById(page, 'abilities'))
  })

  t.test('every menu entry declares its actions, and each action has a label', async (t) => {
    for (const { path, may, rule } of app.registry.menu) {
      if (rule) t.ok(may, `${path} says who may do what`)
      for (const action of Object.keys(may ?? {})) t.ok(actionLabels[action], `${path}: ${action} has a label`)
    }
  })

  t.test('the access tab agrees with what the service answers, whatever the permissions', async (t) => {
    const browser = await as('plain')
    for (const held of [
      [],
      ['dealer_can_view'],
      ['manager_can_view', 'manager_can_add'],
      ['stock_can_edit', 'company_can_view'],
    ] as PolicyKey[][]) {
      revoke(db, cast.plain, ...policyKeys)
      grant(db, cast.plain, ...held)
      const row = db.select().from(users).where(eq(users.id, cast.plain)).get()
      const person = { ...performer(row as User), policies: new Set<string>(held) } as Actor
      const places = summarizeAccess(app.registry.menu, person, translator('en'))
      for (const [index, { path, may }] of app.registry.menu.entries()) {
        const of = (name: string) => places[index]?.actions.find((action) => action.name === name)?.can !== 'no'
        t.equal((await browser.get(path)).statusCode === 200, of(may ? 'list' : 'open'), `${held}: ${path}`)
      }
    }
  })
})
