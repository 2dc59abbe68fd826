import argon2 from 'argon2'
import { and, count, desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, policies, userPolicies, users } from '../../src/database/schema/index.ts'
import { testBadBodies } from '../support/bad-input.ts'
import { type Cabinet, type Fields, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, revoke } from '../support/cast.ts'
import type { User } from '../support/dealers.ts'
import { errorsOf, fieldOf, hiddenOf, textOf, textsByRole } from '../support/html.ts'

const unknown = 999_999
const countUsers = ({ db }: Cabinet) => db.select({ rows: count() }).from(users).get()?.rows
const newest = ({ db }: Cabinet) => db.select().from(users).orderBy(desc(users.id)).get() as User

t.test('a dealer is registered', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, nobodys } = cast.companies
  const filled = (more: Fields = {}): Fields => ({
    company_id: alpha,
    lastname: 'Новиков',
    name: 'Николай',
    middlename: 'Петрович',
    email: 'novikov@example.com',
    password: 'a new password',
    ...more,
  })

  t.test('the registration form of a dealer has the fields of the specification and no phone', async (t) => {
    const page = await (await as('admin')).get('/dealers/add')
    t.equal(page.statusCode, 200)
    for (const name of ['company_id', 'lastname', 'name', 'middlename', 'email', 'password']) t.ok(fieldOf(page, name), name)
    for (const name of ['phone', 'tg_id', 'group_id', 'manager_id', 'active', 'superadmin']) t.notOk(fieldOf(page, name), name)
    t.equal(hiddenOf(page, 'once').length, 1)
  })

  t.test('a registered dealer is active, is assigned to whoever registered them and gets the default rights', async (t) => {
    const answer = await (await as('admin')).post('/dealers/add', filled())
    const dealer = newest(cabinet)
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, `/dealers/edit/${dealer.id}`)
    t.match(dealer, {
      group_id: 2,
      manager_id: cast.admin,
      company_id: alpha,
      lastname: 'Новиков',
      name: 'Николай',
      middlename: 'Петрович',
      email: 'novikov@example.com',
      active: true,
      superadmin: false,
      phone: null,
      last_auth: null,
    })
    const rights = db
      .select({ key: policies.key, value: userPolicies.value })
      .from(userPolicies)
      .innerJoin(policies, eq(policies.id, userPolicies.policy_id))
      .where(eq(userPolicies.user_id, dealer.id))
      .all()
    t.same(
      rights.filter(({ value }) => value).map(({ key }) => key),
      ['news_can_view', 'company_offer_can_edit', 'order_can_view_prices', 'product_can_view'],
    )
    t.match(dealer.password, /^\$argon2id\$/)
    t.ok(await argon2.verify(dealer.password, 'a new password'))
    const history = db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'users'), eq(changes.record_id, dealer.id)))
      .all()
    t.match(history, [{ action: 'create', actor_id: cast.admin }])
    t.notMatch(JSON.stringify(history), /argon2id|a new password/, 'the history keeps no secret')
    const browser = cabinet.newBrowser()
    t.equal((await browser.post('/login', { email: 'novikov@example.com', password: 'a new password' })).statusCode, 303)
    t.match(textsByRole(await (await as('admin')).get(String(answer.headers.location)), 'status').join(), /\w/, 'and says so')
  })

  t.test('a manager registers dealers for their own companies only (422) and becomes their manager', async (t) => {
    const maria = await as('maria')
    const refused = await maria.post('/dealers/add', filled({ company_id: nobodys, email: 'second@example.com' }))
    t.equal(refused.statusCode, 422)
    t.same(Object.keys(errorsOf(refused)), ['company_id'])
    const answer = await maria.post('/dealers/add', filled({ company_id: alpha, email: 'second@example.com' }))
    const dealer = newest(cabinet)
    t.equal(answer.headers.location, `/dealers/edit/${dealer.id}`, 'whose card she may open')
    t.match(dealer, { manager_id: cast.maria, company_id: alpha })
  })

  t.test('whoever may not open the new card is redirected to a page that they may open', async (t) => {
    grant(db, cast.plain, 'dealer_can_add')
    grant(db, cast.plain, 'company_can_view')
    const answer = await (await as('plain')).post('/dealers/add', filled({ email: 'third@example.com' }))
    t.equal(answer.statusCode, 303)
    t.not(answer.headers.location, `/dealers/edit/${newest(cabinet).id}`)
    t.not((await (await as('plain')).get(String(answer.headers.location))).statusCode, 403)
    t.equal(newest(cabinet).manager_id, cast.plain)
  })

  t.test('a user without dealer_can_add cannot register a dealer (403)', async (t) => {
    const before = countUsers(cabinet)
    for (const name of ['clerk', 'pavel', 'denis'] as const)
      t.equal((await (await as(name)).post('/dealers/add', filled({ email: `${name}2@example.com` }))).statusCode, 403, name)
    revoke(db, cast.mikhail, 'dealer_can_add')
    t.equal((await (await as('mikhail')).post('/dealers/add', filled({ email: 'x@example.com' }))).statusCode, 403)
    t.equal((await (await as('mikhail')).get('/dealers/add')).statusCode, 403)
    t.equal(countUsers(cabinet), before)
  })

  t.test('registering a dealer ignores fields that the form does not have', async (t) => {
    const odd = { group_id: 1, superadmin: 1, manager_id: cast.mikhail, active: 0, id: 1, version: 99, phone: '+7(999) 111 22 33' }
    const answer = await (await as('admin')).post(
      '/dealers/add',
      filled({ email: 'fourth@example.com', ...odd, __proto__x: 'y', constructor: 'z' }),
    )
    t.equal(answer.statusCode, 303)
    t.match(newest(cabinet), { group_id: 2, superadmin: false, manager_id: cast.admin, active: true, version: 1, phone: null })
  })

  t.test('the values of a registered dealer are stored trimmed', async (t) => {
    await (await as('admin')).post('/dealers/add', filled({ email: '  Fifth@Example.com ', lastname: '  Space ', middlename: '   ' }))
    t.match(newest(cabinet), { lastname: 'Space', middlename: null })
    t.equal(newest(cabinet).email.toLowerCase(), 'fifth@example.com')
  })

  t.test('invalid fields of a new dealer are marked, typed values stay and nothing is saved (422)', async (t) => {
    const admin = await as('admin')
    const before = countUsers(cabinet)
    const free = (more: Fields) => filled({ email: 'free@example.com', ...more })
    const cases: [string, Fields, string[]][] = [
      [
        'nothing at all',
        { company_id: '', lastname: '', name: '', email: '', password: '' },
        ['company_id', 'email', 'lastname', 'name', 'password'],
      ],
      ['blanks', free({ lastname: '   ' }), ['lastname']],
      ['no name', free({ name: '' }), ['name']],
      ['no company', free({ company_id: '' }), ['company_id']],
      ['a company that does not exist', free({ company_id: unknown }), ['company_id']],
      ['a word for a company', free({ company_id: 'alpha' }), ['company_id']],
      ['a negative company', free({ company_id: -1 }), ['company_id']],
      ['an email that is none', free({ email: 'nobody' }), ['email']],
      ['an email with a name', free({ email: 'A <a@example.com>' }), ['email']],
      ['the email of a dealer', free({ email: emailOf('denis') }), ['email']],
      ['the email of an administrator in another case', free({ email: ` ${emailOf('admin').toUpperCase()} ` }), ['email']],
      ['the email of somebody inactive', free({ email: emailOf('ivan') }), ['email']],
      ['a short password', free({ password: '1234567' }), ['password']],
      ['a long password', free({ password: 'x'.repeat(257) }), ['password']],
      ['a long name', free({ name: 'ж'.repeat(256) }), ['name']],
      ['a long patronymic', free({ middlename: 'x'.repeat(256) }), ['middlename']],
      ['two at once', free({ name: '', email: 'x' }), ['email', 'name']],
    ]
    for (const [name, fields, wrong] of cases) {
      const answer = await admin.post('/dealers/add', fields)
      t.equal(answer.statusCode, 422, name)
      t.same(Object.keys(errorsOf(answer)).sort(), wrong, name)
      for (const message of Object.values(errorsOf(answer))) t.not(message, '', `${name}: says what`)
      t.equal(textsByRole(answer, 'alert').length, wrong.length > 1 ? 1 : 0, `${name}: several are named above the form`)
      for (const field of ['lastname', 'name', 'middlename', 'email'])
        t.equal(fieldOf(answer, field)?.value, String(fields[field] ?? ''), `${name}: ${field} stays`)
      t.equal(fieldOf(answer, 'password')?.value, '', `${name}: the password does not`)
      if (String(fields.password).length > 3) t.notOk(answer.body.includes(String(fields.password)))
    }
    t.same(Object.keys(errorsOf(await admin.post('/dealers/add', {}))).sort(), ['company_id', 'email', 'lastname', 'name', 'password'])
    t.equal(countUsers(cabinet), before)
  })

  t.test('a dealer may have a password of 8 to 256 characters and a name of 255', async (t) => {
    const admin = await as('admin')
    t.match(textOf((await admin.get('/dealers/add')).body), 'Password * 8 to 256 characters')
    for (const [index, password] of ['tin rook', 'x'.repeat(256), 'пароль длинный'].entries())
      t.equal((await admin.post('/dealers/add', filled({ email: `long${index}@example.com`, password }))).statusCode, 303)
    t.equal((await admin.post('/dealers/add', filled({ email: 'long9@example.com', name: 'ж'.repeat(255) }))).statusCode, 303)
    t.equal(newest(cabinet).name.length, 255)
  })

  t.test('a registration submitted twice creates one dealer', async (t) => {
    const maria = await as('maria')
    const first = await maria.post('/dealers/add', filled({ email: 'twice@example.com', once: 'random-1' }))
    const before = countUsers(cabinet)
    const second = await maria.post('/dealers/add', filled({ email: 'twice@example.com', once: 'random-1' }))
    t.equal(second.statusCode, 303)
    t.equal(second.headers.location, first.headers.location)
    t.equal(countUsers(cabinet), before)
    t.equal((await maria.post('/dealers/add', filled({ email: 'twice2@example.com', once: 'random-2' }))).statusCode, 303)
    t.equal(
      (await (await as('admin')).post('/dealers/add', filled({ email: 'twice@example.com', once: 'random-1' }))).statusCode,
      422,
      'another person is not she',
    )
    t.equal(countUsers(cabinet), (before ?? 0) + 1)
    const both = await Promise.all([1, 2].map(() => maria.post('/dealers/add', filled({ email: 'pressed@example.com', once: 'random-3' }))))
    t.same(
      both.map(({ statusCode }) => statusCode),
      [303, 303],
      'pressed twice at once',
    )
    t.equal(db.select().from(users).where(eq(users.email, 'pressed@example.com')).all().length, 1)
  })

  t.test('the id of a deleted dealer is never used again', async (t) => {
    const admin = await as('admin')
    await admin.post('/dealers/add', filled({ email: 'gone@example.com' }))
    const gone = newest(cabinet).id
    await admin.post('/dealers/delete', { id: gone })
    await admin.post('/dealers/add', filled({ email: 'gone@example.com' }))
    t.ok(newest(cabinet).id > gone)
  })

  testBadBodies(t, {
    browser: () => as('admin'),
    path: '/dealers/add',
    required: 'lastname',
    unchanged: () => countUsers(cabinet),
  })
})
