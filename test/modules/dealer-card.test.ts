import argon2 from 'argon2'
import { desc, eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changes, companies, users } from '../../src/database/schema/index.ts'
import { testBadBodies } from '../support/bad-input.ts'
import { type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, type Name, revoke } from '../support/cast.ts'
import { insertDealer, userOf } from '../support/dealers.ts'
import { errorsOf, fieldOf, hiddenOf, isDocument, textOf, textsByRole } from '../support/html.ts'

const unknown = 999_999

t.test('the dealer card', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet

  t.test('a manager opens the cards of dealers whom they may see or edit, and no others (403)', async (t) => {
    const maria = await as('maria')
    const opens = async (expected: Record<string, number>) => {
      for (const [name, status] of Object.entries(expected))
        t.equal((await maria.get(`/dealers/edit/${cast[name as Name]}`)).statusCode, status, name)
    }
    await opens({ denis: 200, vera: 403, ivan: 200, roman: 200, daria: 403 })
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    await opens({ denis: 200, vera: 403, ivan: 200, roman: 200, daria: 403 })
    grant(db, cast.maria, 'dealer_manager_can_edit')
  })

  t.test('a dealer with no manager is not accessible to managers (403)', async (t) => {
    const orphan = insertDealer(cabinet, { manager_id: null, company_id: null })
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await (await as('maria')).get(`/dealers/edit/${orphan}`)).statusCode, 403)
    grant(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await (await as('admin')).get(`/dealers/edit/${orphan}`)).statusCode, 200)
    db.delete(users).where(eq(users.id, orphan)).run()
  })

  t.test('the dealer card has the fields of the specification with their values, and never the password', async (t) => {
    const card = await (await as('admin')).get(`/dealers/edit/${cast.denis}`)
    const fields = ['company_id', 'lastname', 'name', 'middlename', 'phone', 'email', 'password']
    for (const name of fields) t.ok(fieldOf(card, name), name)
    for (const name of ['tg_id', 'group_id', 'manager_id', 'superadmin', 'active', 'position']) t.notOk(fieldOf(card, name), name)
    t.equal(fieldOf(card, 'lastname')?.value, 'Denisov')
    t.equal(fieldOf(card, 'email')?.value, emailOf('denis'))
    t.equal(fieldOf(card, 'company_id')?.value, String(cast.companies.alpha))
    t.equal(fieldOf(card, 'password')?.value, '')
    t.notMatch(card.body, userOf(cabinet, cast.denis).password)
    t.same(hiddenOf(card, 'version'), [String(userOf(cabinet, cast.denis).version)])
  })

  t.test('a user who may only view a dealer gets a read-only card without the password field', async (t) => {
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    const card = await (await as('maria')).get(`/dealers/edit/${cast.denis}`)
    t.equal(card.statusCode, 200)
    for (const name of ['company_id', 'lastname', 'name', 'middlename', 'phone', 'email'])
      t.equal(fieldOf(card, name)?.disabled, true, name)
    t.notOk(fieldOf(card, 'password'))
    t.equal((await (await as('maria')).post(`/dealers/edit/${cast.denis}`, { name: 'Updated' })).statusCode, 403)
    t.equal(userOf(cabinet, cast.denis).name, 'Denis')
    grant(db, cast.maria, 'dealer_manager_can_edit')
    t.equal(fieldOf(await (await as('maria')).get(`/dealers/edit/${cast.denis}`), 'name')?.disabled, false)
  })

  t.test('the dealer card answers htmx with its region only', async (t) => {
    const region = await (await as('admin')).get(`/dealers/edit/${cast.denis}`, htmx)
    t.notOk(isDocument(region))
    t.ok(fieldOf(region, 'lastname'))
  })
})

t.test('the companies that a dealer can be moved to', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  const offered = async (name: Name, path: string) => {
    const card = await (await as(name)).get(path)
    t.equal(card.statusCode, 200, path)
    const options = fieldOf(card, 'company_id')?.options.map(({ value }) => value) ?? []
    return options
      .filter(Boolean)
      .map(Number)
      .sort((a, b) => a - b)
  }

  t.test('administrators and users with company_can_view may choose any company for a dealer', async (t) => {
    t.same(await offered('admin', '/dealers/add'), [alpha, beta, nobodys])
    t.same(await offered('maria', '/dealers/add'), [alpha], 'a manager registers for their own companies')
    grant(db, cast.maria, 'company_can_view')
    t.same(await offered('maria', `/dealers/edit/${cast.denis}`), [alpha, beta, nobodys])
    revoke(db, cast.maria, 'company_can_view')
    grant(db, cast.mikhail, 'dealer_can_edit')
    t.same(await offered('mikhail', `/dealers/edit/${cast.daria}`), [beta], 'dealer_can_edit shows no more companies')
    revoke(db, cast.mikhail, 'dealer_can_edit')
  })

  t.test('a manager with dealer_manager_can_edit alone may choose their own companies and the current one', async (t) => {
    revoke(db, cast.maria, 'dealer_can_add')
    t.same(await offered('maria', `/dealers/edit/${cast.denis}`), [alpha])
    setManager(cabinet, beta, null)
    t.same(await offered('maria', `/dealers/edit/${cast.vera}`), [alpha, beta], 'Vera works at Beta')
  })

  t.test('a manager cannot move a dealer to a company that they were not offered (422)', async (t) => {
    const maria = await as('maria')
    for (const company_id of [nobodys, beta, unknown]) {
      const refused = await maria.post(`/dealers/edit/${cast.denis}`, { company_id })
      t.equal(refused.statusCode, 422)
      t.ok(errorsOf(refused).company_id)
      t.equal(userOf(cabinet, cast.denis).company_id, alpha)
    }
    t.equal((await maria.post(`/dealers/edit/${cast.vera}`, { company_id: beta })).statusCode, 303, 'the present one is')
    t.equal((await maria.post(`/dealers/edit/${cast.vera}`, { company_id: alpha })).statusCode, 303, 'and her own')
    t.equal(userOf(cabinet, cast.vera).company_id, alpha)
    t.equal((await maria.post(`/dealers/edit/${cast.vera}`, { company_id: beta })).statusCode, 422, 'Beta is no longer the present one')
  })
})

function setManager({ db }: Cabinet, company: number, manager_id: number | null) {
  db.update(companies).set({ manager_id }).where(eq(companies.id, company)).run()
}

t.test('a dealer is changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const stored = (name: Name) => userOf(cabinet, cast[name])
  const changed = async (name: Name, fields: Fields, by: Name = 'admin') => {
    const { search, version, updated_at, ...before } = stored(name)
    const answer = await (await as(by)).post(`/dealers/edit/${cast[name]}`, fields)
    const { search: _s, version: _v, updated_at: _u, ...after } = stored(name)
    const differing = Object.entries(after).filter(([key, value]) => value !== before[key as keyof typeof before])
    return { answer, differing: Object.fromEntries(differing) }
  }

  t.test('saving a dealer changes only the fields that it names', async (t) => {
    const { answer, differing } = await changed('denis', { phone: '8 800 555-35-35 anything' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, `/dealers/edit/${cast.denis}`)
    t.same(differing, { phone: '8 800 555-35-35 anything' }, 'and a phone is stored as it was typed')
    t.same((await changed('denis', { middlename: 'Денисович' })).differing, { middlename: 'Денисович' })
    t.same((await changed('denis', { middlename: '' })).differing, { middlename: null }, 'emptied when named empty')
    t.same((await changed('denis', {})).differing, {})
  })

  t.test('saving a dealer ignores fields that the form does not have', async (t) => {
    const odd = {
      tg_id: '1',
      group_id: 1,
      superadmin: 1,
      manager_id: 1,
      active: 0,
      last_auth: 1,
      id: 1,
      created_at: 1,
      position: 'x',
      image: 'x',
      stock_id: 1,
    }
    t.same((await changed('denis', { ...odd, __proto__: 'x', toString: 'x' } as Fields)).differing, {})
  })

  t.test('the password of a dealer is changed only when filled in, and stored hashed', async (t) => {
    t.same((await changed('denis', { password: '', name: 'Denis' })).differing, {})
    const { differing } = await changed('denis', { password: 'another password' })
    t.same(Object.keys(differing), ['password'])
    t.ok(await argon2.verify(stored('denis').password, 'another password'))
    t.match(stored('denis').password, /^\$argon2id\$/)
    const short = await changed('denis', { password: 'short' })
    t.equal(short.answer.statusCode, 422)
    t.ok(errorsOf(short.answer).password)
    t.same(short.differing, {})
    const history = db.select().from(changes).where(eq(changes.record_id, cast.denis)).orderBy(desc(changes.id)).get()
    t.ok(history?.fields.password, 'the history names it')
    t.notMatch(JSON.stringify(history), /argon2id|another password/, 'without telling it')
  })

  t.test('a dealer may keep their own email in any case, but not take that of another user (422)', async (t) => {
    t.equal((await changed('denis', { email: emailOf('denis') })).answer.statusCode, 303)
    t.equal((await changed('denis', { email: 'DENIS@example.com' })).answer.statusCode, 303)
    for (const email of [emailOf('daria'), 'ADMIN@EXAMPLE.COM', ` ${emailOf('ivan')} `]) {
      const { answer, differing } = await changed('denis', { email })
      t.equal(answer.statusCode, 422, email)
      t.ok(errorsOf(answer).email)
      t.equal(fieldOf(answer, 'email')?.value, email, 'what was typed stays')
      t.same(differing, {})
    }
    t.equal((await changed('denis', { email: 'free@example.com' })).answer.statusCode, 303)
  })

  t.test('a dealer with a required field emptied or an invalid value is not saved (422)', async (t) => {
    for (const [name, value] of [
      ['lastname', ''],
      ['name', '  '],
      ['email', ''],
      ['company_id', ''],
      ['company_id', unknown],
      ['company_id', 'word'],
      ['email', 'nobody'],
      ['lastname', 'x'.repeat(256)],
      ['phone', 'x'.repeat(256)],
    ] as const) {
      const { answer, differing } = await changed('roman', { middlename: 'Typed', [name]: value })
      t.equal(answer.statusCode, 422, `${name}=${String(value).slice(0, 10)}`)
      t.same(Object.keys(errorsOf(answer)), [name])
      t.equal(fieldOf(answer, 'middlename')?.value, 'Typed', 'nothing typed is lost')
      t.same(differing, {}, 'and nothing saved')
    }
  })

  t.test('a manager changes the dealers assigned to them and those of their companies', async (t) => {
    t.equal((await changed('denis', { name: 'Dionis' }, 'maria')).answer.statusCode, 303, 'both')
    t.equal((await changed('vera', { name: 'Veronika' }, 'maria')).answer.statusCode, 403, 'assigned to her, but of a company with another')
    setManager(cabinet, cast.companies.beta, null)
    const vera = await changed('vera', { name: 'Veronika' }, 'maria')
    t.equal(vera.answer.headers.location, `/dealers/edit/${cast.vera}`, 'of a company without a manager')
    setManager(cabinet, cast.companies.beta, cast.mikhail)
    t.equal(stored('vera').name, 'Veronika')
    const roman = await changed('roman', { name: 'Romuald' }, 'maria')
    t.equal(roman.answer.statusCode, 303, 'of her company')
    t.equal(roman.answer.headers.location, `/dealers/edit/${cast.roman}`, 'whose card opens for whoever may save it')
    t.equal(stored('roman').name, 'Romuald')
    const daria = await changed('daria', { name: 'Hacked' }, 'maria')
    t.equal(daria.answer.statusCode, 403, 'neither')
    t.same(daria.differing, {})
    t.equal((await changed('roman', { name: 'Roman' }, 'mikhail')).answer.statusCode, 403, 'assigned to him, but of her company')
  })

  t.test('the history records what changed on a dealer and by whom, and nothing when nothing changed', async (t) => {
    const before = db.select().from(changes).all().length
    const { version } = stored('daria')
    await changed('daria', { name: 'Дарья', phone: '+7(999) 123 45 67' }, 'mikhail')
    const [change, ...rest] = db.select().from(changes).orderBy(desc(changes.id)).all().slice(0, -before)
    t.same(rest, [])
    t.match(change, { action: 'update', entity: 'users', record_id: cast.daria, actor_id: cast.mikhail })
    t.same(change?.fields, { phone: [null, '+7(999) 123 45 67'] })
    t.equal(stored('daria').version, version + 1)
    await changed('daria', { phone: '+7(999) 123 45 67' }, 'mikhail')
    t.equal(stored('daria').version, version + 1, 'saving nothing new raises no version')
    t.equal(db.select().from(changes).all().length, before + 1)
  })

  t.test('saving the card of a deactivated dealer does not activate them', async (t) => {
    await changed('ivan', { name: 'Ivan II' })
    t.equal(stored('ivan').active, false)
  })

  t.test('saving a dealer with an older version keeps what others changed meanwhile', async (t) => {
    const admin = await as('admin')
    const opened = hiddenOf(await admin.get(`/dealers/edit/${cast.daria}`), 'version')[0] as string
    await (await as('mikhail')).post(`/dealers/edit/${cast.daria}`, { phone: '33333' })
    const full = { lastname: 'Королёва', name: 'Мария', middlename: '', phone: '+7(999) 123 45 67', email: emailOf('daria') }
    const answer = await admin.post(`/dealers/edit/${cast.daria}`, { ...full, version: opened })
    t.equal(answer.statusCode, 303)
    t.match(stored('daria'), { name: 'Мария', phone: '33333' })
    t.ok(textsByRole(await admin.get(String(answer.headers.location)), 'status').length > 0, 'and says so')
  })

  t.test('two users who change the same field of a dealer: the second gets 409 with both versions, and nothing is saved', async (t) => {
    const admin = await as('admin')
    const opened = hiddenOf(await admin.get(`/dealers/edit/${cast.daria}`), 'version')[0] as string
    await (await as('mikhail')).post(`/dealers/edit/${cast.daria}`, { phone: '+7 900 111 22 33' })
    const answer = await admin.post(`/dealers/edit/${cast.daria}`, { phone: '+7 900 222 33 44', lastname: 'My lastname', version: opened })
    t.equal(answer.statusCode, 409)
    t.match(stored('daria'), { phone: '+7 900 111 22 33', lastname: 'Королёва' })
    const seen = textOf(answer.body)
    t.match(seen, '+7 900 222 33 44')
    t.match(seen, '+7 900 111 22 33')
    t.match(seen, 'Sidorov', 'who else it was')
    t.equal(fieldOf(answer, 'phone')?.value, '+7 900 222 33 44', 'nothing typed is lost')
    t.equal(fieldOf(answer, 'lastname')?.value, 'My lastname')
    const again = hiddenOf(answer, 'version')[0] as string
    const saved = await admin.post(`/dealers/edit/${cast.daria}`, { phone: '+7 900 222 33 44', lastname: 'My lastname', version: again })
    t.equal(saved.statusCode, 303, 'saving again means it')
    t.match(stored('daria'), { phone: '+7 900 222 33 44', lastname: 'My lastname' })
  })

  t.test("a dealer saved without a version is not compared with others' changes", async (t) => {
    await (await as('mikhail')).post(`/dealers/edit/${cast.daria}`, { phone: '11111' })
    t.equal((await (await as('admin')).post(`/dealers/edit/${cast.daria}`, { phone: '22222' })).statusCode, 303)
    t.equal(stored('daria').phone, '22222')
  })

  t.test('an invalid version in a dealer form causes no server error', async (t) => {
    for (const version of ['', 'word', '-1', '0', '999999', '1e9', '99999999999999999999']) {
      const { statusCode } = await (await as('admin')).post(`/dealers/edit/${cast.roman}`, { middlename: `v${version}`, version })
      t.ok([303, 409, 422].includes(statusCode), `${version}: ${statusCode}`)
    }
  })

  t.test('saving a dealer with any body is answered with 303 or 422 and never changes their group or rights', async (t) => {
    const admin = await as('admin')
    const name = fc.constantFrom(
      'company_id',
      'lastname',
      'name',
      'middlename',
      'phone',
      'email',
      'password',
      'group_id',
      'superadmin',
      'version',
      '_add',
      '_remove',
    )
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('1', '0', '-1', 'a@b.example', '‮', '\u0000', 'x'.repeat(300)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 6 }), async (pairs) => {
        const body = new URLSearchParams(pairs).toString()
        const { statusCode } = await admin.send(
          'POST',
          `/dealers/edit/${cast.ivan}`,
          { 'content-type': 'application/x-www-form-urlencoded' },
          body,
        )
        const { group_id, superadmin, active, manager_id } = stored('ivan')
        if (![200, 303, 409, 422].includes(statusCode)) throw new Error(`${statusCode} for ${body}`)
        return group_id === 2 && !superadmin && !active && manager_id === cast.maria
      }),
      { numRuns: 60 },
    )
    t.pass('stood')
  })

  testBadBodies(t, {
    browser: () => as('admin'),
    path: `/dealers/edit/${cast.vera}`,
    required: 'name',
    unchanged: () => stored('vera'),
  })
})
