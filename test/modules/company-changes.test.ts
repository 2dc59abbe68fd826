import { desc, eq } from 'drizzle-orm'
import fc from 'fast-check'
import t from 'tap'
import { changes, companies } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { testBadBodies } from '../support/bad-input.ts'
import { type Fields, startCabinet } from '../support/cabinet.ts'
import { grant, type Name } from '../support/cast.ts'
import { type Company, cardOnlyFields, companyOf, createFields, textsFor } from '../support/companies.ts'
import { elementsOf, errorsOf, fieldOf, hiddenOf, textOf } from '../support/html.ts'

const unknown = 999_999

t.test('a company is changed', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  const changed = async (id: number, fields: Fields, by: Name = 'admin') => {
    const before = companyOf(cabinet, id)
    const answer = await (await as(by)).post(`/company/edit/${id}`, fields)
    const skip = new Set(['search', 'version', 'updated_at'])
    const pairs = Object.entries(companyOf(cabinet, id)).filter(
      ([key, value]) => !skip.has(key) && JSON.stringify(value) !== JSON.stringify(before[key as keyof Company]),
    )
    return { answer, differing: Object.fromEntries(pairs) }
  }

  t.test('a save changes only the fields that it names', async (t) => {
    const { answer, differing } = await changed(alpha, { inn: '7707083893' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, `/company/edit/${alpha}`)
    t.same(differing, { inn: '7707083893' })
    t.same((await changed(alpha, { inn: '' })).differing, { inn: null })
    t.same((await changed(alpha, {})).differing, {})
  })

  t.test('every field of a company is stored', async (t) => {
    const texts = textsFor(createFields, 2)
    const more = {
      contract_number: 'Д-7',
      contract_date: '2026-02-28',
      director_name_full: 'Петров Пётр',
      director_name_short: 'Петров П.',
    }
    const numbers = {
      discount: 15,
      specification_start_number: 100,
      manufacture_id: cast.site,
      stock_id: cast.stock,
      manager_id: cast.mikhail,
    }
    const { answer, differing } = await changed(nobodys, { ...texts, ...more, ...numbers })
    t.equal(answer.statusCode, 303)
    t.same(differing, { ...texts, ...more, ...numbers })
    const card = await (await as('admin')).get(`/company/edit/${nobodys}`)
    for (const [name, value] of Object.entries({ ...texts, ...more, ...numbers })) t.equal(fieldOf(card, name)?.value, String(value), name)
    const emptied = await changed(nobodys, {
      discount: '',
      specification_start_number: '',
      manufacture_id: '',
      stock_id: '',
      manager_id: '',
      contract_date: '',
    })
    t.same(new Set(Object.values(emptied.differing)), new Set([null]))
    t.equal(Object.keys(emptied.differing).length, 6)
  })

  t.test('the base discount must be a whole percentage from 0 to 100 (422)', async (t) => {
    for (const discount of ['0', '100', '7', ' 8 ']) {
      t.equal((await changed(alpha, { discount })).answer.statusCode, 303, discount)
      t.equal(companyOf(cabinet, alpha).discount, Number(discount))
    }
    for (const discount of ['-1', '101', '5.5', '5,5', 'ten', '1e1', '0x10', '١', '1 0', '99999999999999999999', 'NaN', 'Infinity']) {
      const { answer, differing } = await changed(alpha, { discount, bank: 'Typed' })
      t.equal(answer.statusCode, 422, discount)
      t.same(Object.keys(errorsOf(answer)), ['discount'])
      t.equal(fieldOf(answer, 'discount')?.value, discount, 'what was typed stays')
      t.equal(fieldOf(answer, 'bank')?.value, 'Typed')
      t.same(differing, {})
    }
  })

  t.test('the manager of a company must be a manager (422)', async (t) => {
    for (const manager_id of [cast.admin, cast.root, cast.denis, cast.pavel, unknown, -1, 'word', 0]) {
      const { answer, differing } = await changed(alpha, { manager_id })
      t.equal(answer.statusCode, 422, String(manager_id))
      t.ok(errorsOf(answer).manager_id)
      t.same(differing, {})
    }
    t.equal((await changed(alpha, { manager_id: cast.plain })).answer.statusCode, 303)
    t.equal((await changed(alpha, { manager_id: cast.maria })).answer.statusCode, 303)
  })

  t.test('warehouse and production site must exist, dates and numbers must be valid (422)', async (t) => {
    const cases: Fields = {
      stock_id: unknown,
      manufacture_id: unknown,
      specification_start_number: 'abc',
      contract_date: '2026-02-30',
      org: '',
    }
    for (const [name, value] of Object.entries(cases)) {
      const { answer, differing } = await changed(alpha, { [name]: value })
      t.equal(answer.statusCode, 422, name)
      t.same(Object.keys(errorsOf(answer)), [name])
      t.same(differing, {})
    }
    for (const contract_date of ['28.02.2026', '2026-13-01', '2026-1-1', 'today', '2026-02-28T10:00'])
      t.equal((await changed(alpha, { contract_date })).answer.statusCode, 422, contract_date)
    for (const number of ['1.5', '-5', '99999999999999999999'])
      t.equal((await changed(alpha, { specification_start_number: number })).answer.statusCode, 422, number)
  })

  t.test('a manager changes only their own companies (403), and is redirected to the list after giving one away', async (t) => {
    t.equal((await changed(alpha, { bank: 'Hers' }, 'maria')).answer.statusCode, 303)
    for (const id of [beta, nobodys]) {
      const { answer, differing } = await changed(id, { bank: 'Hacked' }, 'maria')
      t.equal(answer.statusCode, 403)
      t.same(differing, {})
    }
    const given = await changed(alpha, { manager_id: cast.mikhail }, 'maria')
    t.equal(given.answer.headers.location, '/companies')
    t.equal((await changed(alpha, { bank: 'Again' }, 'maria')).answer.statusCode, 403)
    db.update(companies).set({ manager_id: cast.maria }).where(eq(companies.id, alpha)).run()
  })

  t.test('a changed company is in the history, and its version rises', async (t) => {
    const { version } = companyOf(cabinet, beta)
    db.update(companies).set({ updated_at: 1000 }).where(eq(companies.id, beta)).run()
    await changed(beta, { okpo: '123', bank: '' }, 'mikhail')
    t.ok(companyOf(cabinet, beta).updated_at > Date.now() - 60_000, 'it was updated just now')
    const change = db.select().from(changes).where(eq(changes.entity, 'companies')).orderBy(desc(changes.id)).get()
    t.match(change, { record_id: beta, actor_id: cast.mikhail, action: 'update', record_version: version + 1 })
    t.same(change?.fields, { okpo: [null, '123'] })
    t.equal(companyOf(cabinet, beta).version, version + 1)
  })

  t.test('two users change a company: different fields are merged, the same field is a conflict (409)', async (t) => {
    const admin = await as('admin')
    const opened = hiddenOf(await admin.get(`/company/edit/${beta}`), 'version')[0] as string
    await changed(beta, { bik: '111', rs: '222' }, 'mikhail')
    t.equal((await admin.post(`/company/edit/${beta}`, { cs: '333', bik: '', rs: '', version: opened })).statusCode, 303)
    t.match(companyOf(cabinet, beta), { bik: '111', rs: '222', cs: '333' })
    const clash = await admin.post(`/company/edit/${beta}`, { kpp: '444', bik: '555', version: opened })
    t.equal(clash.statusCode, 409)
    t.match(companyOf(cabinet, beta), { bik: '111', kpp: null })
    t.match(textOf(clash.body), '555')
    t.match(textOf(clash.body), '111')
    const by = db
      .select()
      .from(changes)
      .orderBy(desc(changes.id))
      .all()
      .find(({ actor_id }) => actor_id === cast.mikhail)
    const conflict = textOf(elementsOf(clash.body, '.conflicts tbody tr').join())
    t.equal(conflict, `BIK 555 111 Sidorov Mikhail, ${formatDateTime(by?.at ?? 0)}`)
    t.equal(fieldOf(clash, 'kpp')?.value, '444')
  })

  t.test('saving a company with any body is answered with 303, 409 or 422, never with a server error', async (t) => {
    const admin = await as('admin')
    const name = fc.oneof(
      fc.constantFrom(...createFields, ...cardOnlyFields, 'discounts', 'files', 'version', 'once', '_add', '_remove', '_up'),
      fc.constantFrom(
        'discounts[0][category_id]',
        'discounts[0][discount]',
        'discounts[0][id]',
        'discounts[9999][discount]',
        'discounts[x][id]',
      ),
      fc.constantFrom(
        'files[0][name]',
        'files[0][file]',
        'files[0][stored]',
        'discounts[0]',
        'discounts[]',
        '__proto__',
        'discounts[0][__proto__]',
      ),
    )
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom(
        '1',
        '0',
        '-1',
        '',
        'discounts',
        'files',
        'discounts.0',
        'constructor',
        '__proto__',
        '__proto__.0',
        'toString.0',
        'x'.repeat(300),
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), async (pairs) => {
        const body = new URLSearchParams(pairs).toString()
        const { statusCode } = await admin.send(
          'POST',
          `/company/edit/${nobodys}`,
          { 'content-type': 'application/x-www-form-urlencoded' },
          body,
        )
        if (![200, 303, 409, 422].includes(statusCode)) throw new Error(`${statusCode} for ${body}`)
      }),
      { numRuns: 150 },
    )
    t.pass('stood')
  })

  testBadBodies(t, {
    browser: () => as('admin'),
    path: `/company/edit/${beta}`,
    required: 'org',
    unchanged: () => companyOf(cabinet, beta),
  })
})

t.test('strict rules for the base discount', async (t) => {
  const cabinet = await startCabinet(t, { environment: { RULES: 'strict' } })
  const { as, cast, db } = cabinet
  const { alpha } = cast.companies
  db.update(companies).set({ discount: 10 }).where(eq(companies.id, alpha)).run()
  const save = async (by: Name, fields: Fields) => (await (await as(by)).post(`/company/edit/${alpha}`, fields)).statusCode

  t.test('under strict rules, the base discount is locked without company_can_edit_discount (403)', async (t) => {
    for (const name of ['admin', 'maria'] as const) {
      t.equal(fieldOf(await (await as(name)).get(`/company/edit/${alpha}`), 'discount')?.disabled, true, name)
      t.equal(await save(name, { discount: 20, bank: 'Updated' }), 403)
      t.equal(await save(name, { discount: '' }), 403)
      t.match(companyOf(cabinet, alpha), { discount: 10, bank: null })
    }
  })

  t.test('under strict rules, sending the unchanged base discount, or none, is allowed', async (t) => {
    t.equal(await save('maria', { discount: 10, bank: 'One' }), 303)
    t.equal(await save('maria', { bank: 'Two' }), 303)
    t.match(companyOf(cabinet, alpha), { discount: 10, bank: 'Two' })
  })

  t.test('under strict rules, a user with company_can_edit_discount changes the base discount', async (t) => {
    grant(db, cast.maria, 'company_can_edit_discount')
    t.equal(fieldOf(await (await as('maria')).get(`/company/edit/${alpha}`), 'discount')?.disabled, false)
    t.equal(await save('maria', { discount: 20 }), 303)
    t.equal(companyOf(cabinet, alpha).discount, 20)
    t.equal(await save('root', { discount: 30 }), 303, 'and for superadministrators')
  })
})

t.test('under the rules as specified, whoever may edit a company may edit its base discount', async (t) => {
  const { as, cast } = await startCabinet(t)
  const maria = await as('maria')
  t.equal(fieldOf(await maria.get(`/company/edit/${cast.companies.alpha}`), 'discount')?.disabled, false)
  t.equal((await maria.post(`/company/edit/${cast.companies.alpha}`, { discount: 5 })).statusCode, 303)
})
