import argon2 from 'argon2'
import { and, count, desc, eq } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import fc from 'fast-check'
import t from 'tap'
import type { PolicyKey } from '../../src/core/policies.ts'
import { changes, companies, orders, policies, trash, userPolicies, users } from '../../src/database/schema/index.ts'
import { createAccount } from '../../src/modules/users/accounts.ts'
import { dealerType as kind } from '../../src/modules/users/dealers/user-type.ts'
import { invalidQueries, testBadBodies } from '../support/bad-input.ts'
import { type Answer, type Browser, type Cabinet, type Fields, htmx, startCabinet } from '../support/cabinet.ts'
import { emailOf, grant, type Name, names, revoke } from '../support/cast.ts'
import {
  cellsOf,
  columnsOf,
  controlsOf,
  elementById,
  errorsOf,
  fieldOf,
  hiddenOf,
  idsOf,
  isDocument,
  rowsOf,
  switchOf,
  tagsOf,
  textOf,
  textsByRole,
  totalOf,
} from '../support/html.ts'

type User = typeof users.$inferSelect

const author = { id: null, name: 'The test' }
const unknown = 999_999
const dealerNames: Name[] = ['denis', 'daria', 'vera', 'roman', 'ivan']

const userOf = ({ db }: Cabinet, id: number) => db.select().from(users).where(eq(users.id, id)).get() as User
const countUsers = ({ db }: Cabinet) => db.select({ rows: count() }).from(users).get()?.rows
const newest = ({ db }: Cabinet) => db.select().from(users).orderBy(desc(users.id)).get() as User

/** A dealer beside the cast; Alpha and Maria unless said otherwise. */
function plant({ db, cast }: Cabinet, values: Partial<User> = {}): number {
  const email = `planted${db.select({ rows: count() }).from(users).get()?.rows}@example.com`
  const fixed = {
    lastname: 'Planted',
    name: 'Personal details',
    email,
    password: 'x',
    company_id: cast.companies.alpha,
    manager_id: cast.maria,
  }
  return createAccount(db, kind, { ...fixed, ...values }, author)
}

function plantMany(cabinet: Cabinet, many: number, values: (index: number) => Partial<User> = () => ({})): number[] {
  return cabinet.db.transaction(() => Array.from({ length: many }, (_, index) => plant(cabinet, values(index))))
}

/** Who was found, by the short names of the cast. */
function foundNames({ cast }: Cabinet, answer: Answer): string[] {
  return idsOf(answer, 'dealers')
    .map((id) => names.find((name) => cast[name] === id) ?? String(id))
    .sort()
}

const alphabetical = (list: Name[]) => [...list].sort()

t.test('the list', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet

  t.test('shows those with dealer_can_view every dealer, and nobody else', async (t) => {
    for (const name of ['admin', 'root'] as const) {
      const list = await (await as(name)).get('/dealers')
      t.equal(list.statusCode, 200)
      t.ok(isDocument(list))
      t.same(foundNames(cabinet, list), alphabetical(dealerNames), name)
      t.equal(totalOf(list, 'dealers'), 5)
    }
  })

  t.test('shows managers the dealers of their companies, whoever these are assigned to', async (t) => {
    t.same(foundNames(cabinet, await (await as('maria')).get('/dealers')), ['denis', 'ivan', 'roman'])
    t.same(foundNames(cabinet, await (await as('mikhail')).get('/dealers')), ['daria', 'vera'])
    t.equal(totalOf(await (await as('mikhail')).get('/dealers'), 'dealers'), 2)
  })

  t.test('the wide right wins where somebody holds both', async (t) => {
    grant(db, cast.mikhail, 'dealer_can_view')
    t.equal(totalOf(await (await as('mikhail')).get('/dealers'), 'dealers'), 5)
    revoke(db, cast.mikhail, 'dealer_can_view')
  })

  t.test('a dealer without a company is nobody’s, a company without a manager too', async (t) => {
    const homeless = plant(cabinet, { company_id: null })
    const nobodys = plant(cabinet, { company_id: cast.companies.nobodys })
    grant(db, cast.plain, 'dealer_manager_can_view')
    t.equal(totalOf(await (await as('plain')).get('/dealers'), 'dealers'), 0)
    t.same(foundNames(cabinet, await (await as('maria')).get('/dealers')), ['denis', 'ivan', 'roman'])
    db.delete(users).where(eq(users.id, homeless)).run()
    db.delete(users).where(eq(users.id, nobodys)).run()
    revoke(db, cast.plain, 'dealer_manager_can_view')
  })

  t.test('is closed without either policy, for every group', async (t) => {
    for (const name of ['clerk', 'plain', 'pavel', 'denis'] as const)
      for (const path of ['/dealers', '/dealers/export', '/dealers/add', '/dealers/delete?id=1'])
        t.equal((await (await as(name)).get(path)).statusCode, 403, `${name} ${path}`)
  })

  t.test('has the columns of the specification, the two dates on demand', async (t) => {
    const shown = ['company', 'name', 'lastname', 'tg_id', 'manager', 'active']
    const admin = await as('admin')
    t.same(columnsOf(await admin.get('/dealers')), shown)
    t.same(columnsOf(await admin.get('/dealers?cols=created_at,updated_at')), [...shown, 'created_at', 'updated_at'])
    const one = await admin.get('/dealers?cols=updated_at,nothing')
    t.same(columnsOf(one), [...shown, 'updated_at'])
    t.same(Object.keys(rowsOf(one, 'dealers')[0]?.cells ?? {}), [...shown, 'updated_at'])
    t.same(Object.keys(rowsOf(await admin.get('/dealers'), 'dealers')[0]?.cells ?? {}), shown)
  })

  t.test('a row says company, names, messenger and the full name of the manager', async (t) => {
    const rows = rowsOf(await (await as('admin')).get('/dealers?cols=created_at'), 'dealers')
    const denis = rows.find(({ id }) => id === cast.denis)
    t.match(denis?.cells, { company: 'Alpha Windows', name: 'Denis', lastname: 'Denisov', manager: 'Petrova Maria Ivanovna' })
    t.match(denis?.cells.created_at, /^\d\d\.\d\d\.\d{4}/)
    t.match(rows.find(({ id }) => id === cast.daria)?.cells, { company: 'ООО «Бета Ёлка»', name: 'Дарья', lastname: 'Королёва' })
  })

  t.test('what people typed is text, never markup', async (t) => {
    const id = plant(cabinet, { lastname: '<img src=x onerror=alert(1)>', name: '"><script>alert(2)</script>' })
    const page = await (await as('admin')).get('/dealers')
    t.notMatch(page.body, '<img src=x')
    t.notMatch(page.body, '<script>alert')
    t.equal(rowsOf(page, 'dealers').find((row) => row.id === id)?.cells.lastname, '<img src=x onerror=alert(1)>')
    const card = await (await as('admin')).get(`/dealers/edit/${id}`)
    t.notMatch(card.body, '<script>alert')
    t.equal(fieldOf(card, 'name')?.value, '"><script>alert(2)</script>')
    db.delete(users).where(eq(users.id, id)).run()
  })

  t.test('a switch says its state, and is disabled where it may not be pressed', async (t) => {
    const rows = rowsOf(await (await as('admin')).get('/dealers'), 'dealers')
    const states = Object.fromEntries(rows.map(({ id, html }) => [id, switchOf(html)]))
    t.same(states[cast.denis], { checked: true, disabled: false })
    t.same(states[cast.ivan], { checked: false, disabled: false })
    grant(db, cast.clerk, 'dealer_can_view')
    for (const { html } of rowsOf(await (await as('clerk')).get('/dealers'), 'dealers')) t.equal(switchOf(html)?.disabled, true)
    revoke(db, cast.clerk, 'dealer_can_view')
  })

  t.test('offers in a row only what is allowed', async (t) => {
    const offers = async (name: Name) => {
      const rows = rowsOf(await (await as(name)).get('/dealers'), 'dealers')
      const links = (html: string) => tagsOf(html, 'a').map(({ href }) => String(href).split('?')[0])
      return Object.fromEntries(rows.map(({ id, html }) => [id, links(html)]))
    }
    const maria = await offers('maria')
    t.ok(maria[cast.denis]?.includes(`/dealers/edit/${cast.denis}`))
    t.ok(maria[cast.roman]?.includes(`/dealers/edit/${cast.roman}`), 'of her company, though assigned to another manager')
    t.ok(maria[cast.roman]?.includes('/dealers/delete'), 'and she may delete him')
    t.ok(maria[cast.denis]?.includes(`/impersonate/${cast.denis}`))
    t.notOk(maria[cast.ivan]?.includes(`/impersonate/${cast.ivan}`), 'who is switched off cannot be impersonated')
    revoke(db, cast.mikhail, 'dealer_manager_can_delete', 'dealer_can_auth')
    const mikhail = await offers('mikhail')
    t.notOk(mikhail[cast.daria]?.includes('/dealers/delete'))
    t.notOk(mikhail[cast.daria]?.includes(`/impersonate/${cast.daria}`))
    grant(db, cast.mikhail, 'dealer_manager_can_delete', 'dealer_can_auth')
  })

  t.test('an address that asks for what there is not falls back', async (t) => {
    const admin = await as('admin')
    for (const query of invalidQueries) {
      const page = await admin.get(`/dealers?${query}`)
      t.equal(page.statusCode, 200, query.slice(0, 60))
      t.not(totalOf(page, 'dealers'), undefined)
      if (!query.includes('q')) t.equal(totalOf(page, 'dealers'), 5, query)
      const fragment = await admin.get(`/dealers?${query}`, htmx)
      t.equal(fragment.statusCode, 200)
    }
  })
})

t.test('pages of the list', async (t) => {
  const cabinet = await startCabinet(t)
  const { as } = cabinet
  plantMany(cabinet, 60)
  const admin = await as('admin')
  const sizeOf = async (query: string) => idsOf(await admin.get(`/dealers?${query}`), 'dealers').length

  t.test('have 25 rows, 50, or all', async (t) => {
    t.equal(await sizeOf(''), 25)
    t.equal(await sizeOf('size=50'), 50)
    t.equal(await sizeOf('size=all'), 65)
    for (const size of ['10', '100', '0', 'many', '25.0']) t.equal(await sizeOf(`size=${size}`), 25, size)
  })

  t.test('together hold every row once, in the order of the whole', async (t) => {
    const all = idsOf(await admin.get('/dealers?size=all'), 'dealers')
    const pages = [1, 2, 3].map((page) => admin.get(`/dealers?page=${page}`).then((answer) => idsOf(answer, 'dealers')))
    t.same((await Promise.all(pages)).flat(), all)
    t.equal(new Set(all).size, 65)
    const reversed = [1, 2, 3].map((page) => admin.get(`/dealers?sort=company&dir=asc&page=${page}`))
    const sorted = idsOf(await admin.get('/dealers?sort=company&dir=asc&size=all'), 'dealers')
    t.same(
      (await Promise.all(reversed)).flatMap((answer) => idsOf(answer, 'dealers')),
      sorted,
    )
  })

  t.test('one past the end is the last', async (t) => {
    const last = idsOf(await admin.get('/dealers?page=3'), 'dealers')
    t.equal(last.length, 15)
    for (const page of ['4', '99', '999999999999']) t.same(idsOf(await admin.get(`/dealers?page=${page}`), 'dealers'), last, page)
    const first = idsOf(await admin.get('/dealers'), 'dealers')
    for (const page of ['0', '-1', 'x', '1.5', '']) t.same(idsOf(await admin.get(`/dealers?page=${page}`), 'dealers'), first, page)
  })

  t.test('say how many rows were found in all', async (t) => {
    for (const query of ['', 'page=3', 'size=all']) t.equal(totalOf(await admin.get(`/dealers?${query}`), 'dealers'), 65)
    t.equal(totalOf(await admin.get('/dealers?q=planted&page=9'), 'dealers'), 60)
  })
})

t.test('sorting', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  for (const name of dealerNames) db.delete(users).where(eq(users.id, cast[name])).run()
  const [a, b, c, d, e, f] = plantMany(cabinet, 6, (index) => ({
    company_id: [alpha, beta, alpha, nobodys, beta, alpha][index],
  })) as number[]
  const at = (id: number | undefined, day: number) =>
    db
      .update(users)
      .set({ created_at: Date.UTC(2026, 0, day) })
      .where(eq(users.id, id as number))
      .run()
  for (const [id, day] of [
    [a, 5],
    [b, 3],
    [c, 5],
    [d, 1],
    [e, 3],
    [f, 9],
  ] as [number, number][])
    at(id, day)
  const admin = await as('admin')
  const order = async (query: string) => idsOf(await admin.get(`/dealers?${query}`), 'dealers')

  t.test('by company both ways, equal ones by id in the same direction', async (t) => {
    t.same(await order('sort=company&dir=asc'), [a, c, f, d, b, e])
    t.same(await order('sort=company&dir=desc'), [e, b, d, f, c, a])
  })

  t.test('by the date of creation both ways, equal ones by id in the same direction', async (t) => {
    t.same(await order('sort=created_at&dir=asc'), [d, b, e, a, c, f])
    t.same(await order('sort=created_at&dir=desc'), [f, c, a, e, b, d])
  })

  t.test('by anything else falls back to the default', async (t) => {
    const usual = await order('')
    for (const key of ['nothing', 'password', 'id', 'email', '', '__proto__', 'users.id'])
      t.same(await order(`sort=${encodeURIComponent(key)}`), usual, key)
    t.same(await order('sort=company&dir=up'), await order('sort=company'), 'and so does an unknown direction')
  })

  t.test('company names sort as people read them, whatever their case', async (t) => {
    db.update(companies).set({ org: 'яблоко', search: 'яблоко' }).where(eq(companies.id, alpha)).run()
    db.update(companies).set({ org: 'Берёза', search: 'береза' }).where(eq(companies.id, beta)).run()
    db.update(companies).set({ org: 'Ёж', search: 'еж' }).where(eq(companies.id, nobodys)).run()
    t.same(await order('sort=company&dir=asc'), [b, e, d, a, c, f])
  })
})

t.test('search', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const admin = await as('admin')
  const found = async (q: string, browser: Browser = admin) => {
    const answer = await browser.get(`/dealers?${new URLSearchParams({ q })}`)
    t.equal(answer.statusCode, 200, q)
    t.equal(totalOf(answer, 'dealers'), idsOf(answer, 'dealers').length, `${q}: the total is what is shown`)
    return foundNames(cabinet, answer)
  }
  const messenger = plant(cabinet, {
    lastname: 'Zorina',
    name: 'Zoya',
    middlename: 'Patronymova',
    tg_id: '987650',
    phone: '+7(999) 777 66 55',
  })
  const literal = plant(cabinet, { lastname: '100%_off', name: '"O\'Neil" \\ *' })

  t.test('ignores case and ё, in any script and normalization', async (t) => {
    for (const q of ['королёва', 'КОРОЛЕВА', 'королева', 'Королёва', 'короле\u0308ва']) t.same(await found(q), ['daria'], q)
    for (const q of ['DENISOV', 'denisov', 'DeNiSoV']) t.same(await found(q), ['denis'], q)
  })

  t.test('finds parts of words, from one letter on', async (t) => {
    for (const q of ['рол', 'ёва', 'орол', 'ева']) t.same(await found(q), ['daria'], q)
    t.same(await found('ро'), ['daria'])
    t.same(await found('д'), ['daria'])
    t.ok((await found('d')).includes('denis'))
  })

  t.test('looks at company, names, messenger and the manager’s full name with the patronymic', async (t) => {
    t.same(await found('alpha'), ['denis', 'ivan', 'roman', String(messenger), String(literal)].sort())
    t.same(await found('«бета ёлка»'), ['daria', 'vera'])
    t.same(await found('елка'), ['daria', 'vera'])
    t.same(await found('98765'), [String(messenger)])
    t.same(await found('ivanovna denis'), ['denis'])
    t.same(await found('petrova maria ivanovna vernaya'), ['vera'])
    t.same(await found('sidorov'), ['daria', 'roman'])
  })

  t.test('wants every word, each wherever it may be', async (t) => {
    t.same(await found('дарья королева'), ['daria'])
    t.same(await found('королева   дарья'), ['daria'])
    t.same(await found('дарья ёлка сидоров'), [], 'his name is not written so')
    t.same(await found('дарья ёлка sidorov'), ['daria'])
    t.same(await found('дарья alpha'), [])
    t.same(await found('denis denis denis'), ['denis'])
  })

  t.test('wants every word of a long query too', async (t) => {
    t.same(await found(`d e n i s o v a l p ${'nowhere'}`), [])
  })

  t.test('does not look at what the specification does not name', async (t) => {
    for (const q of ['denis@example.com', 'example.com', 'maria@', '777 66', 'argon2']) t.same(await found(q), [], q)
  })

  t.test('takes %, _, quotes, backslashes and stars as ordinary letters', async (t) => {
    for (const q of ['%', '_', '0%_', '100%_off', '"', "'", '"o\'n', '\\', '*', '%_o']) t.same(await found(q), [String(literal)], q)
    for (const q of ['%%', 'd%s', 'd_nis', '""', "' or 1=1 --"]) t.same(await found(q), [], q)
  })

  t.test('blanks alone search for nothing', async (t) => {
    t.equal((await found('   ')).length, 7)
    t.equal((await found('')).length, 7)
  })

  t.test('stays within what one may see', async (t) => {
    t.same(await found('дарья', await as('maria')), [])
    t.same(await found('дарья', await as('mikhail')), ['daria'])
    t.same(await found('vernaya', await as('maria')), [])
  })

  t.test('a dealer is found by whoever registered them, of any group', async (t) => {
    const own = plant(cabinet, { lastname: 'Cousin', name: 'Carl', manager_id: cast.daria })
    t.same(await found('королева carl'), [String(own)])
    db.delete(users).where(eq(users.id, own)).run()
  })

  t.test('knows at once what was renamed', async (t) => {
    await admin.post(`/dealers/edit/${cast.ivan}`, { lastname: 'Щукин' })
    t.same(await found('щуки'), ['ivan'])
    t.same(await found('inactive'), [])
    await admin.post(`/company/edit/${cast.companies.beta}`, { org: 'Гамма' })
    t.same(await found('гамма'), ['daria', 'vera'])
    t.same(await found('ёлка'), [])
  })

  t.test('keeps state in the address and in the field', async (t) => {
    const page = await admin.get('/dealers?q=%D0%94%22%3C&sort=company&dir=desc')
    t.equal(fieldOf(page, 'q')?.value, 'Д"<')
    t.equal(fieldOf(page, 'sort')?.value ?? 'company', 'company')
  })

  t.test('any part of any name that was registered is found, whatever its case', async (t) => {
    const letters = fc.constantFrom(...'абвЁёйЙяЯdzQ%_"\'-*\\')
    const word = fc.string({ unit: letters, minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(
        word,
        word,
        fc.nat(9),
        fc.integer({ min: 1, max: 10 }),
        fc.boolean(),
        async (lastname, name, from, length, upper) => {
          const id = plant(cabinet, { lastname, name })
          const part = lastname.slice(from % lastname.length).slice(0, length)
          const q = `${upper ? part.toUpperCase().replaceAll('Ё', 'Е') : part} ${name}`
          const ids = idsOf(await admin.get(`/dealers?${new URLSearchParams({ q, size: 'all' })}`), 'dealers')
          db.delete(users).where(eq(users.id, id)).run()
          return ids.includes(id)
        },
      ),
      { numRuns: 60 },
    )
    t.pass('found')
  })

  t.test('what is found has every word of the query', async (t) => {
    const people = db.select().from(users).where(eq(users.group_id, 2)).all()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('de', 'n', 'ов', 'e', 'ро', 'ver', 'zz'), { minLength: 1, maxLength: 3 }),
        async (words) => {
          const page = await admin.get(`/dealers?${new URLSearchParams({ q: words.join(' ') })}`)
          for (const { id, cells } of rowsOf(page, 'dealers')) {
            const seen = `${cells.company} ${cells.lastname} ${cells.name} ${cells.tg_id} ${cells.manager}`
              .toLowerCase()
              .replaceAll('ё', 'е')
            for (const one of words) if (!seen.includes(one)) throw new Error(`${one} is not in ${seen} (${id})`)
          }
          return idsOf(page, 'dealers').length <= people.length
        },
      ),
      { numRuns: 40 },
    )
    t.pass('consistent')
  })
})

t.test('the card', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet

  t.test('opens for a manager who may see or edit the dealer', async (t) => {
    const maria = await as('maria')
    const opens = async (expected: Record<string, number>) => {
      for (const [name, status] of Object.entries(expected))
        t.equal((await maria.get(`/dealers/edit/${cast[name as Name]}`)).statusCode, status, name)
    }
    await opens({ denis: 200, vera: 200, ivan: 200, roman: 200, daria: 403 })
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    await opens({ denis: 200, vera: 200, ivan: 200, roman: 403, daria: 403 })
    grant(db, cast.maria, 'dealer_manager_can_edit')
  })

  t.test('a dealer assigned to nobody is no manager’s', async (t) => {
    const orphan = plant(cabinet, { manager_id: null })
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await (await as('maria')).get(`/dealers/edit/${orphan}`)).statusCode, 403)
    grant(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await (await as('admin')).get(`/dealers/edit/${orphan}`)).statusCode, 200)
    db.delete(users).where(eq(users.id, orphan)).run()
  })

  t.test('has the fields of the specification and their values, never the password', async (t) => {
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

  t.test('shows the same read-only to those who may only look, without the password', async (t) => {
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

  t.test('htmx gets its region only', async (t) => {
    const region = await (await as('admin')).get(`/dealers/edit/${cast.denis}`, htmx)
    t.notOk(isDocument(region))
    t.ok(fieldOf(region, 'lastname'))
  })
})

t.test('choices of a company', async (t) => {
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

  t.test('are all of them for administrators and with company_can_view', async (t) => {
    t.same(await offered('admin', '/dealers/add'), [alpha, beta, nobodys])
    t.same(await offered('maria', '/dealers/add'), [alpha], 'a manager registers for their own companies')
    grant(db, cast.maria, 'company_can_view')
    t.same(await offered('maria', `/dealers/edit/${cast.denis}`), [alpha, beta, nobodys])
    revoke(db, cast.maria, 'company_can_view')
    grant(db, cast.mikhail, 'dealer_can_edit')
    t.same(await offered('mikhail', `/dealers/edit/${cast.daria}`), [beta], 'dealer_can_edit shows no more companies')
    revoke(db, cast.mikhail, 'dealer_can_edit')
  })

  t.test('are one’s own and the present one with dealer_manager_can_edit alone', async (t) => {
    revoke(db, cast.maria, 'dealer_can_add')
    t.same(await offered('maria', `/dealers/edit/${cast.denis}`), [alpha])
    t.same(await offered('maria', `/dealers/edit/${cast.vera}`), [alpha, beta], 'Vera works at Beta')
  })

  t.test('and no other is taken', async (t) => {
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

t.test('registering a dealer', async (t) => {
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

  t.test('the form has the fields of the specification and no phone', async (t) => {
    const page = await (await as('admin')).get('/dealers/add')
    t.equal(page.statusCode, 200)
    for (const name of ['company_id', 'lastname', 'name', 'middlename', 'email', 'password']) t.ok(fieldOf(page, name), name)
    for (const name of ['phone', 'tg_id', 'group_id', 'manager_id', 'active', 'superadmin']) t.notOk(fieldOf(page, name), name)
    t.equal(hiddenOf(page, 'once').length, 1)
  })

  t.test('it becomes an active dealer of whoever registered it, with the rights of the role', async (t) => {
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
      ['news_can_view'],
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

  t.test('a manager registers for a company of their own and is the dealer’s manager', async (t) => {
    const maria = await as('maria')
    const refused = await maria.post('/dealers/add', filled({ company_id: nobodys, email: 'second@example.com' }))
    t.equal(refused.statusCode, 422)
    t.same(Object.keys(errorsOf(refused)), ['company_id'])
    const answer = await maria.post('/dealers/add', filled({ company_id: alpha, email: 'second@example.com' }))
    const dealer = newest(cabinet)
    t.equal(answer.headers.location, `/dealers/edit/${dealer.id}`, 'whose card she may open')
    t.match(dealer, { manager_id: cast.maria, company_id: alpha })
  })

  t.test('whoever may not open the card is led elsewhere', async (t) => {
    grant(db, cast.plain, 'dealer_can_add')
    grant(db, cast.plain, 'company_can_view')
    const answer = await (await as('plain')).post('/dealers/add', filled({ email: 'third@example.com' }))
    t.equal(answer.statusCode, 303)
    t.not(answer.headers.location, `/dealers/edit/${newest(cabinet).id}`)
    t.not((await (await as('plain')).get(String(answer.headers.location))).statusCode, 403)
    t.equal(newest(cabinet).manager_id, cast.plain)
  })

  t.test('needs dealer_can_add', async (t) => {
    const before = countUsers(cabinet)
    for (const name of ['clerk', 'pavel', 'denis'] as const)
      t.equal((await (await as(name)).post('/dealers/add', filled({ email: `${name}2@example.com` }))).statusCode, 403, name)
    revoke(db, cast.mikhail, 'dealer_can_add')
    t.equal((await (await as('mikhail')).post('/dealers/add', filled({ email: 'x@example.com' }))).statusCode, 403)
    t.equal((await (await as('mikhail')).get('/dealers/add')).statusCode, 403)
    t.equal(countUsers(cabinet), before)
  })

  t.test('fields that the form does not have are ignored', async (t) => {
    const odd = { group_id: 1, superadmin: 1, manager_id: cast.mikhail, active: 0, id: 1, version: 99, phone: '+7(999) 111 22 33' }
    const answer = await (await as('admin')).post(
      '/dealers/add',
      filled({ email: 'fourth@example.com', ...odd, __proto__x: 'y', constructor: 'z' }),
    )
    t.equal(answer.statusCode, 303)
    t.match(newest(cabinet), { group_id: 2, superadmin: false, manager_id: cast.admin, active: true, version: 1, phone: null })
  })

  t.test('values are stored trimmed', async (t) => {
    await (await as('admin')).post('/dealers/add', filled({ email: '  Fifth@Example.com ', lastname: '  Space ', middlename: '   ' }))
    t.match(newest(cabinet), { lastname: 'Space', middlename: null })
    t.equal(newest(cabinet).email.toLowerCase(), 'fifth@example.com')
  })

  t.test('what is wrong is said at its field, what was typed stays, nothing is saved', async (t) => {
    const admin = await as('admin')
    const before = countUsers(cabinet)
    const cases: [string, Fields, string[]][] = [
      [
        'nothing at all',
        { company_id: '', lastname: '', name: '', email: '', password: '' },
        ['company_id', 'email', 'lastname', 'name', 'password'],
      ],
      ['blanks', filled({ lastname: '   ' }), ['lastname']],
      ['no name', filled({ name: '' }), ['name']],
      ['no company', filled({ company_id: '' }), ['company_id']],
      ['a company that does not exist', filled({ company_id: unknown }), ['company_id']],
      ['a word for a company', filled({ company_id: 'alpha' }), ['company_id']],
      ['a negative company', filled({ company_id: -1 }), ['company_id']],
      ['an email that is none', filled({ email: 'nobody' }), ['email']],
      ['an email with a name', filled({ email: 'A <a@example.com>' }), ['email']],
      ['the email of a dealer', filled({ email: emailOf('denis') }), ['email']],
      ['the email of an administrator in another case', filled({ email: ` ${emailOf('admin').toUpperCase()} ` }), ['email']],
      ['the email of somebody inactive', filled({ email: emailOf('ivan') }), ['email']],
      ['a short password', filled({ password: '1234567' }), ['password']],
      ['a long password', filled({ password: 'x'.repeat(257) }), ['password']],
      ['a long name', filled({ name: 'ж'.repeat(256) }), ['name']],
      ['a long patronymic', filled({ middlename: 'x'.repeat(256) }), ['middlename']],
      ['two at once', filled({ name: '', email: 'x' }), ['email', 'name']],
    ]
    for (const [name, fields, wrong] of cases) {
      const answer = await admin.post('/dealers/add', fields)
      t.equal(answer.statusCode, 422, name)
      t.same(Object.keys(errorsOf(answer)).sort(), wrong, name)
      for (const message of Object.values(errorsOf(answer))) t.not(message, '', `${name}: says what`)
      t.ok(textsByRole(answer, 'alert').length > 0, `${name}: and on the page`)
      for (const field of ['lastname', 'name', 'middlename', 'email'])
        t.equal(fieldOf(answer, field)?.value, String(fields[field] ?? ''), `${name}: ${field} stays`)
      t.equal(fieldOf(answer, 'password')?.value, '', `${name}: the password does not`)
      if (String(fields.password).length > 3) t.notOk(answer.body.includes(String(fields.password)))
    }
    t.same(Object.keys(errorsOf(await admin.post('/dealers/add', {}))).sort(), ['company_id', 'email', 'lastname', 'name', 'password'])
    t.equal(countUsers(cabinet), before)
  })

  t.test('passwords of 8 and 256 characters are taken, and 255 characters of a name', async (t) => {
    const admin = await as('admin')
    for (const [index, password] of ['tin rook', 'x'.repeat(256), 'пароль длинный'].entries())
      t.equal((await admin.post('/dealers/add', filled({ email: `long${index}@example.com`, password }))).statusCode, 303)
    t.equal((await admin.post('/dealers/add', filled({ email: 'long9@example.com', name: 'ж'.repeat(255) }))).statusCode, 303)
    t.equal(newest(cabinet).name.length, 255)
  })

  t.test('said twice it is done once', async (t) => {
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

  t.test('an id is never given twice', async (t) => {
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

t.test('changing a dealer', async (t) => {
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

  t.test('only what the body names changes', async (t) => {
    const { answer, differing } = await changed('denis', { phone: '8 800 anything' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, `/dealers/edit/${cast.denis}`)
    t.same(differing, { phone: '8 800 anything' }, 'and a phone is stored as it was typed')
    t.same((await changed('denis', { middlename: 'Денисович' })).differing, { middlename: 'Денисович' })
    t.same((await changed('denis', { middlename: '' })).differing, { middlename: null }, 'emptied when named empty')
    t.same((await changed('denis', {})).differing, {})
  })

  t.test('fields that the form does not have are ignored', async (t) => {
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

  t.test('a password is changed only when filled, and stored hashed', async (t) => {
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

  t.test('the own email is fine in any case, that of another user is not', async (t) => {
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

  t.test('what is required cannot be emptied, what is wrong is not saved', async (t) => {
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

  t.test('a manager changes those assigned to them and those of their companies', async (t) => {
    t.equal((await changed('denis', { name: 'Dionis' }, 'maria')).answer.statusCode, 303, 'both')
    const vera = await changed('vera', { name: 'Veronika' }, 'maria')
    t.equal(vera.answer.headers.location, `/dealers/edit/${cast.vera}`, 'assigned')
    t.equal(stored('vera').name, 'Veronika')
    const roman = await changed('roman', { name: 'Romuald' }, 'maria')
    t.equal(roman.answer.statusCode, 303, 'of her company')
    t.equal(roman.answer.headers.location, `/dealers/edit/${cast.roman}`, 'whose card opens for whoever may save it')
    t.equal(stored('roman').name, 'Romuald')
    const daria = await changed('daria', { name: 'Hacked' }, 'maria')
    t.equal(daria.answer.statusCode, 403, 'neither')
    t.same(daria.differing, {})
    t.equal((await changed('roman', { name: 'Roman' }, 'mikhail')).answer.statusCode, 303, 'assigned to him')
  })

  t.test('what changed is in the history with its author, what did not is not', async (t) => {
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

  t.test('somebody who was switched off by the way stays so', async (t) => {
    await changed('ivan', { name: 'Ivan II' })
    t.equal(stored('ivan').active, false)
  })

  t.test('a save with an older version keeps what others changed meanwhile', async (t) => {
    const admin = await as('admin')
    const opened = hiddenOf(await admin.get(`/dealers/edit/${cast.daria}`), 'version')[0] as string
    await (await as('mikhail')).post(`/dealers/edit/${cast.daria}`, { phone: 'theirs' })
    const full = { lastname: 'Королёва', name: 'Мария', middlename: '', phone: '+7(999) 123 45 67', email: emailOf('daria') }
    const answer = await admin.post(`/dealers/edit/${cast.daria}`, { ...full, version: opened })
    t.equal(answer.statusCode, 303)
    t.match(stored('daria'), { name: 'Мария', phone: 'theirs' })
    t.ok(textsByRole(await admin.get(String(answer.headers.location)), 'status').length > 0, 'and says so')
  })

  t.test('where both changed the same field it is 409 with both versions, and nothing is saved', async (t) => {
    const admin = await as('admin')
    const opened = hiddenOf(await admin.get(`/dealers/edit/${cast.daria}`), 'version')[0] as string
    await (await as('mikhail')).post(`/dealers/edit/${cast.daria}`, { phone: 'their phone' })
    const answer = await admin.post(`/dealers/edit/${cast.daria}`, { phone: 'my phone', lastname: 'My lastname', version: opened })
    t.equal(answer.statusCode, 409)
    t.match(stored('daria'), { phone: 'their phone', lastname: 'Королёва' })
    const seen = textOf(answer.body)
    t.match(seen, 'my phone')
    t.match(seen, 'their phone')
    t.match(seen, 'Sidorov', 'who else it was')
    t.equal(fieldOf(answer, 'phone')?.value, 'my phone', 'nothing typed is lost')
    t.equal(fieldOf(answer, 'lastname')?.value, 'My lastname')
    const again = hiddenOf(answer, 'version')[0] as string
    const saved = await admin.post(`/dealers/edit/${cast.daria}`, { phone: 'my phone', lastname: 'My lastname', version: again })
    t.equal(saved.statusCode, 303, 'saving again means it')
    t.match(stored('daria'), { phone: 'my phone', lastname: 'My lastname' })
  })

  t.test('a body without a version is not checked', async (t) => {
    await (await as('mikhail')).post(`/dealers/edit/${cast.daria}`, { phone: 'one' })
    t.equal((await (await as('admin')).post(`/dealers/edit/${cast.daria}`, { phone: 'two' })).statusCode, 303)
    t.equal(stored('daria').phone, 'two')
  })

  t.test('a version that is none does no harm', async (t) => {
    for (const version of ['', 'word', '-1', '0', '999999', '1e9', '99999999999999999999']) {
      const { statusCode } = await (await as('admin')).post(`/dealers/edit/${cast.roman}`, { middlename: `v${version}`, version })
      t.ok([303, 409, 422].includes(statusCode), `${version}: ${statusCode}`)
    }
  })

  t.test('whatever a body holds, it is 303 or 422, and who it is stays', async (t) => {
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

t.test('switching a dealer on and off', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const isActive = (name: Name) => userOf(cabinet, cast[name]).active
  const press = async (name: Name, value: string | number, by: Name = 'admin', headers = {}) =>
    (await as(by)).post(`/dealers/${cast[name]}/active`, { value }, headers)

  t.test('sets the state that is asked for, however often', async (t) => {
    for (const value of [0, 0, 1, 1, 0]) {
      const answer = await press('denis', value)
      t.equal(answer.statusCode, 303)
      t.equal(answer.headers.location, '/dealers')
      t.equal(isActive('denis'), value === 1)
    }
    await press('denis', 1)
  })

  t.test('leads back to the list as it was', async (t) => {
    const answer = await press('denis', 1, 'admin', { referer: 'http://localhost/dealers?q=den&page=2' })
    t.equal(answer.headers.location, '/dealers?q=den&page=2')
    const foreign = await press('denis', 1, 'admin', { referer: 'https://evil.example//evil.example/x' })
    t.equal(new URL(String(foreign.headers.location), 'http://cabinet.test').host, 'cabinet.test')
  })

  t.test('gives htmx the cell and nothing else', async (t) => {
    for (const value of [0, 1]) {
      const answer = await press('denis', value, 'admin', htmx)
      t.equal(answer.statusCode, 200)
      t.match(answer.body.trim(), /^<td\b[\s\S]*<\/td>$/)
      t.same(Object.keys(cellsOf(answer.body)), ['active'])
      t.equal(switchOf(answer.body)?.checked, value === 1)
    }
  })

  t.test('takes no other value', async (t) => {
    for (const value of ['', '2', 'on', 'true', '-1', '01']) t.equal((await press('denis', value)).statusCode, 422, value)
    t.equal((await (await as('admin')).post(`/dealers/${cast.denis}/active`, {})).statusCode, 422, 'nor none')
    t.equal((await press('denis', '2', 'admin', htmx)).statusCode, 422)
    t.equal(isActive('denis'), true)
  })

  t.test('needs the right to edit, by company or by assignment', async (t) => {
    t.equal((await press('roman', 0, 'maria')).statusCode, 303, 'of her company')
    t.equal((await press('vera', 0, 'maria')).statusCode, 303, 'assigned to her')
    t.equal((await press('daria', 0, 'maria')).statusCode, 403)
    t.equal(isActive('daria'), true)
    revoke(db, cast.maria, 'dealer_manager_can_edit')
    t.equal((await press('denis', 0, 'maria')).statusCode, 403)
    t.equal((await press('denis', 0, 'plain')).statusCode, 403)
    t.equal(isActive('denis'), true)
  })

  t.test('nobody switches off themselves, nor whoever they act as', async (t) => {
    grant(db, cast.denis, 'dealer_can_view', 'dealer_can_edit', 'dealer_can_delete')
    const denis = await as('denis')
    t.equal((await denis.post(`/dealers/${cast.denis}/active`, { value: 0 })).statusCode, 403)
    t.equal((await denis.post('/dealers/delete', { id: cast.denis })).statusCode, 403)
    t.equal((await denis.post(`/dealers/${cast.daria}/active`, { value: 0 })).statusCode, 303, 'but others')
    const root = await as('root')
    await root.get(`/impersonate/${cast.denis}`)
    t.equal((await root.post(`/dealers/${cast.denis}/active`, { value: 0 })).statusCode, 403)
    t.equal((await root.post('/dealers/delete', { id: cast.denis })).statusCode, 403)
    await root.post('/impersonate/leave')
    t.equal(isActive('denis'), true)
  })

  t.test('is in the history', async (t) => {
    await press('ivan', 1, 'root')
    const change = db.select().from(changes).where(eq(changes.record_id, cast.ivan)).orderBy(desc(changes.id)).get()
    t.match(change, { action: 'update', actor_id: cast.root, fields: { active: [false, true] } })
  })
})

t.test('deleting dealers', async (t) => {
  const open = async () => {
    const cabinet = await startCabinet(t)
    const exists = (id: number) => userOf(cabinet, id) !== undefined
    return { ...cabinet, exists, admin: await cabinet.as('admin'), maria: await cabinet.as('maria') }
  }

  t.test('is confirmed first, with what it will affect', async (t) => {
    const { admin, cast, exists } = await open()
    const page = await admin.get(`/dealers/delete?id=${cast.denis}`)
    t.equal(page.statusCode, 200)
    t.match(textOf(page.body), /Denisov/)
    t.match(textOf(page.body), /\b1 order/)
    t.same(hiddenOf(page, 'id'), [String(cast.denis)])
    t.ok(exists(cast.denis), 'nothing happens by looking')
    const both = await admin.get(`/dealers/delete?id=${cast.denis}&id=${cast.daria}&id=${cast.denis}`)
    t.same(hiddenOf(both, 'id'), [String(cast.denis), String(cast.daria)])
    const fragment = await admin.get(`/dealers/delete?id=${cast.denis}`, htmx)
    t.notOk(isDocument(fragment))
    t.same(hiddenOf(fragment, 'id'), [String(cast.denis)])
  })

  t.test('one', async (t) => {
    const { admin, cast, db, exists } = await open()
    const before = db.select().from(users).where(eq(users.id, cast.denis)).get()
    const answer = await admin.post('/dealers/delete', { id: cast.denis })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers')
    t.notOk(exists(cast.denis))
    t.match(
      db.select().from(orders).where(eq(orders.id, cast.order)).get(),
      { dealer_id: null, company_id: cast.companies.alpha },
      'orders stay',
    )
    t.equal(db.select().from(userPolicies).where(eq(userPolicies.user_id, cast.denis)).all().length, 0)
    const [kept] = db.select().from(trash).all()
    t.match(kept, { entity: 'users', record_id: cast.denis, actor_id: cast.admin })
    t.equal(kept?.removed.rows[0]?.row.email, before?.email)
    t.match(JSON.stringify(kept?.removed.references), `"ids":[${cast.order}]`, 'the bin knows whose it was')
    const change = db
      .select()
      .from(changes)
      .where(and(eq(changes.entity, 'users'), eq(changes.record_id, cast.denis)))
      .orderBy(desc(changes.id))
      .get()
    t.match(change, { action: 'delete', actor_id: cast.admin })
    t.notMatch(JSON.stringify(change), 'argon2id')
    t.match(textsByRole(await admin.get('/dealers'), 'status').join(), /1/)
    t.equal((await admin.get(`/dealers/edit/${cast.denis}`)).statusCode, 404)
  })

  t.test('several at once, all or nothing', async (t) => {
    const { admin, maria, cast, db, exists } = await open()
    t.equal((await maria.post('/dealers/delete', { id: [cast.denis, cast.daria] })).statusCode, 403, 'one foreign id refuses the whole')
    t.equal((await maria.post('/dealers/delete', { id: [cast.denis, unknown] })).statusCode, 404, 'an unknown one too')
    t.equal((await admin.post('/dealers/delete', { id: [cast.denis, 'word'] })).statusCode, 404)
    t.equal((await admin.post('/dealers/delete', { id: [cast.denis, cast.admin] })).statusCode, 404, 'somebody of another group')
    t.ok(exists(cast.denis) && exists(cast.daria) && exists(cast.admin))
    t.equal(db.select().from(trash).all().length, 0)
    t.equal(
      (await maria.post('/dealers/delete', { id: [cast.denis, cast.vera, cast.roman] })).statusCode,
      303,
      'assigned, and of her company',
    )
    t.same(
      dealerNames.filter((name) => exists(cast[name])),
      ['daria', 'ivan'],
    )
    t.equal(
      new Set(
        db
          .select()
          .from(trash)
          .all()
          .map(({ batch }) => batch),
      ).size,
      1,
      'one action',
    )
    t.equal((await admin.post('/dealers/delete', { id: [cast.daria, cast.daria] })).statusCode, 303, 'the same id twice is one')
  })

  t.test('asks nothing of superadministrators, whom it does not touch', async (t) => {
    const { admin, cast, db, exists } = await open()
    db.update(users).set({ active: false }).where(eq(users.id, cast.root)).run()
    t.equal((await admin.post('/dealers/delete', { id: cast.denis })).statusCode, 303)
    t.notOk(exists(cast.denis))
  })

  t.test('nothing selected is 422', async (t) => {
    const { admin } = await open()
    t.equal((await admin.post('/dealers/delete', {})).statusCode, 422)
    t.equal((await admin.get('/dealers/delete')).statusCode, 422)
    t.equal((await admin.get(`/dealers/delete?id=${unknown}`)).statusCode, 404)
    t.equal((await admin.post('/dealers/delete', { id: unknown })).statusCode, 404)
  })

  t.test('a foreign one is not even confirmed', async (t) => {
    const { maria, cast, db, as, exists } = await open()
    t.equal((await maria.get(`/dealers/delete?id=${cast.daria}`)).statusCode, 403)
    revoke(db, cast.maria, 'dealer_manager_can_delete')
    t.equal((await maria.get(`/dealers/delete?id=${cast.denis}`)).statusCode, 403)
    t.equal((await maria.post('/dealers/delete', { id: cast.denis })).statusCode, 403)
    t.equal((await (await as('plain')).post('/dealers/delete', { id: unknown })).statusCode, 403, 'no right: whether or not it exists')
    t.ok(exists(cast.denis))
  })

  t.test('all that a search finds, when it is what the confirmation showed', async (t) => {
    const cabinet = await open()
    const { admin, cast, exists } = cabinet
    const page = await admin.get('/dealers/delete?all=1&q=alpha')
    t.equal(page.statusCode, 200)
    t.match(textOf(page.body), /3/)
    const fields = Object.fromEntries(
      controlsOf(page.body)
        .filter(({ type }) => type === 'hidden')
        .map(({ name, value }) => [name, value]),
    )
    t.match(fields, { all: '1', q: 'alpha' })
    t.ok(fields.seen)
    const late = plant(cabinet, { lastname: 'Late' })
    const changed = await admin.post('/dealers/delete', fields)
    t.equal(changed.statusCode, 409, 'somebody came in between')
    t.ok(exists(cast.denis) && exists(late))
    const seen = hiddenOf(changed, 'seen')[0]
    t.ok(seen && seen !== fields.seen, 'the confirmation again')
    t.equal((await admin.post('/dealers/delete', { ...fields, seen: seen as string })).statusCode, 303)
    t.same(
      dealerNames.filter((name) => exists(cast[name])),
      ['daria', 'vera'],
    )
    t.notOk(exists(late))
  })

  t.test('all, but not unseen', async (t) => {
    const { admin, cast, exists } = await open()
    t.equal((await admin.post('/dealers/delete', { all: 1, q: 'alpha' })).statusCode, 409)
    t.equal((await admin.post('/dealers/delete', { all: 1, q: 'alpha', seen: 'guess' })).statusCode, 409)
    t.ok(exists(cast.denis))
    const fragment = await admin.post('/dealers/delete', { all: 1, q: 'alpha', seen: 'guess' }, htmx)
    t.equal(fragment.statusCode, 409)
    t.notOk(isDocument(fragment))
    t.equal(hiddenOf(fragment, 'seen').length, 1)
    t.equal((await admin.post('/dealers/delete', { all: 1, q: 'nobody at all' })).statusCode, 422)
  })

  t.test('all of a manager are those of their own list', async (t) => {
    const { maria, cast, exists } = await open()
    const seen = hiddenOf(await maria.get('/dealers/delete?all=1'), 'seen')[0] as string
    t.equal((await maria.post('/dealers/delete', { all: 1, seen })).statusCode, 303)
    t.same(
      dealerNames.filter((name) => exists(cast[name])),
      ['daria', 'vera'],
    )
  })

  t.test('gives htmx the table as it is now', async (t) => {
    const cabinet = await open()
    const { admin, cast } = cabinet
    const answer = await admin.post('/dealers/delete', { id: cast.denis, q: 'alpha' }, htmx)
    t.equal(answer.statusCode, 200)
    t.notOk(isDocument(answer))
    t.equal(totalOf(answer, 'dealers'), 2)
    t.same(foundNames(cabinet, answer), ['ivan', 'roman'])
    t.ok(textsByRole(answer, 'status').length > 0)
  })
})

t.test('impersonation', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const follow = async (by: Name, target: number | string, headers = {}) => {
    const browser = await as(by)
    const answer = await browser.get(`/impersonate/${target}`, headers)
    const acting = Boolean(elementById(await browser.get('/'), 'impersonation'))
    if (acting) await browser.post('/impersonate/leave')
    t.equal(acting, answer.statusCode === 303, 'lasts exactly when it was allowed')
    return answer.statusCode
  }

  t.test('asks for the policy of the target’s group', async (t) => {
    const rights: [PolicyKey, Name[]][] = [
      ['admin_can_auth', ['admin']],
      ['dealer_can_auth', ['denis', 'daria']],
      ['manager_can_auth', ['maria', 'pavel']],
    ]
    for (const [policy, allowed] of rights) {
      revoke(db, cast.clerk, 'admin_can_auth', 'dealer_can_auth', 'manager_can_auth')
      grant(db, cast.clerk, policy)
      for (const target of ['admin', 'denis', 'daria', 'maria', 'pavel'] as const)
        t.equal(await follow('clerk', cast[target]), allowed.includes(target) ? 303 : 403, `${policy} ${target}`)
    }
    revoke(db, cast.clerk, 'manager_can_auth')
  })

  t.test('needs no ownership of a dealer', async (t) => {
    t.equal(await follow('maria', cast.daria), 303)
  })

  t.test('not of somebody inactive, of oneself, of a superadministrator by another', async (t) => {
    t.equal(await follow('maria', cast.ivan), 403)
    t.equal(await follow('root', cast.root), 403)
    grant(db, cast.admin, 'admin_can_auth')
    t.equal(await follow('admin', cast.root), 403)
    db.update(users).set({ superadmin: true }).where(eq(users.id, cast.clerk)).run()
    t.equal(await follow('root', cast.clerk), 303)
    db.update(users).set({ superadmin: false }).where(eq(users.id, cast.clerk)).run()
  })

  t.test('an unknown id is 404 for those who could, 403 for the rest', async (t) => {
    for (const id of [unknown, 'word', '0']) {
      t.equal(await follow('maria', id), 404)
      t.equal(await follow('plain', id), 403)
    }
  })

  t.test('one acts with the target’s rights and is told so on every page', async (t) => {
    const maria = await as('maria')
    const answer = await maria.get(`/impersonate/${cast.denis}`, { referer: 'http://localhost/dealers?q=den' })
    t.equal(answer.headers.location, '/')
    const page = await maria.get('/')
    t.match(textOf(elementById(page, 'impersonation') ?? ''), /Petrova Maria.*Denisov Denis/)
    const refused = await maria.get('/dealers')
    t.equal(refused.statusCode, 403, 'her own rights are put aside')
    t.ok(elementById(refused, 'impersonation'), 'told on an error page too')
    const left = await maria.post('/impersonate/leave')
    t.equal(left.statusCode, 303)
    t.equal(left.headers.location, '/dealers?q=den', 'back to where it began')
    t.equal((await maria.get('/dealers')).statusCode, 200)
  })

  t.test('does not stack', async (t) => {
    const root = await as('root')
    t.equal((await root.get(`/impersonate/${cast.admin}`)).statusCode, 303)
    t.equal((await root.get(`/impersonate/${cast.denis}`)).statusCode, 403, 'though the administrator may')
    t.match(textOf(elementById(await root.get('/'), 'impersonation') ?? ''), 'Adminov', 'the first one goes on')
    await root.post('/impersonate/leave')
    t.equal((await root.get(`/impersonate/${cast.denis}`)).statusCode, 303, 'after leaving it works')
    await root.post('/impersonate/leave')
  })

  t.test('leaving when there is none leads home', async (t) => {
    const answer = await (await as('maria')).post('/impersonate/leave')
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/')
    t.equal((await (await as('maria')).get('/impersonate/leave')).statusCode, 404, 'and a link leaves none')
  })

  t.test('is no sign-in of the target', async (t) => {
    t.equal(userOf(cabinet, cast.denis).last_auth, null)
  })
})

type Sheet = { headers: unknown[]; rows: ExcelJS.CellValue[][] }

async function readSheet(answer: Answer): Promise<Sheet> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  const table: ExcelJS.CellValue[][] = []
  workbook.worksheets[0]?.eachRow((row) => table.push((row.values as ExcelJS.CellValue[]).slice(1)))
  return { headers: table[0] ?? [], rows: table.slice(1) }
}

t.test('the spreadsheet', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast, db } = cabinet
  const admin = await as('admin')

  t.test('is an xlsx with a dated name and the columns of the specification', async (t) => {
    const answer = await admin.get('/dealers/export')
    t.equal(answer.statusCode, 200)
    t.equal(answer.headers['content-type'], 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    t.match(String(answer.headers['content-disposition']), /^attachment; filename="?dealers_export_\d{8}_\d{6}\.xlsx"?$/)
    t.match(String(answer.headers['cache-control']), /no-store/)
    const { headers, rows } = await readSheet(answer)
    t.same(headers, ['ID', 'Company', 'Name', 'Lastname', 'Manager', 'Active', 'Created'])
    t.equal(rows.length, 5)
  })

  t.test('has what the list shows, numbers as numbers and dates as dates', async (t) => {
    db.update(users)
      .set({ created_at: new Date(2026, 2, 4, 15, 6, 7).getTime() })
      .where(eq(users.id, cast.denis))
      .run()
    const { rows } = await readSheet(await admin.get('/dealers/export?q=denisov'))
    const [id, company, name, lastname, manager, active, created] = rows[0] ?? []
    t.same([id, company, name, lastname, manager], [cast.denis, 'Alpha Windows', 'Denis', 'Denisov', 'Petrova Maria Ivanovna'])
    t.equal(active, 'Yes')
    t.ok(created instanceof Date)
    t.equal((created as Date).toISOString().slice(0, 16), '2026-03-04T15:06', 'by the clock of the service')
    const [ivan] = (await readSheet(await admin.get('/dealers/export?q=inactive'))).rows
    t.equal(ivan?.[5], 'No')
  })

  t.test('keeps to the search, the order and the scope of the list, all pages of it', async (t) => {
    plantMany(cabinet, 30)
    const ids = async (path: string, browser = admin) => (await readSheet(await browser.get(path))).rows.map((row) => row[0])
    const listed = async (query: string, browser = admin) => idsOf(await browser.get(`/dealers?${query}&size=all`), 'dealers')
    for (const query of [
      '',
      'q=planted',
      'q=ёлка',
      'sort=company&dir=asc',
      'sort=created_at&dir=asc',
      'q=nothing at all'.replaceAll(' ', '+'),
    ])
      t.same(await ids(`/dealers/export?${query}&page=2&size=25`), await listed(query), query)
    const mikhail = await as('mikhail')
    t.same(await ids('/dealers/export', mikhail), await listed('', mikhail))
    t.equal((await ids('/dealers/export', mikhail)).length, 2)
    for (const name of ['plain', 'denis'] as const) t.equal((await (await as(name)).get('/dealers/export')).statusCode, 403, name)
  })

  t.test('what looks like a formula stays text', async (t) => {
    const odd = ['=1+1', '+7', '-1', '@SUM(A1)', '=HYPERLINK("http://evil.example")', '\t=1']
    const planted = odd.map((lastname) => plant(cabinet, { lastname, name: 'Formula' }))
    const { rows } = await readSheet(await admin.get('/dealers/export?q=formula'))
    for (const [index, id] of planted.entries()) t.equal(rows.find((row) => row[0] === id)?.[3], odd[index], `${odd[index]}`)
  })

  t.test('what no sheet can hold does not break it', async (t) => {
    const id = plant(cabinet, { lastname: 'Bell\u0007 & <b> \uD83D\uDE00', name: 'Strange' })
    const { rows } = await readSheet(await admin.get('/dealers/export?q=strange'))
    t.equal(rows[0]?.[0], id)
    t.match(rows[0]?.[3], /Bell.* & <b>/)
  })

  t.test('5,000 rows are written while others are served', async (t) => {
    db.$client.exec(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
      insert into users (group_id, email, password, name, lastname, company_id, manager_id, search)
      select 2, 'bulk' || i || '@example.com', 'x', 'Bulk', 'Number ' || i, ${cast.companies.alpha}, ${cast.maria}, 'number ' || i || ' bulk' from n`)
    let done = false
    const exporting = admin.get('/dealers/export?q=bulk').then((answer) => {
      done = true
      return answer
    })
    let served = 0
    for (const maria = await as('maria'); !done && served < 3; served++) t.equal((await maria.get('/healthz')).statusCode, 200)
    t.equal(served, 3)
    t.equal(done, false, 'while it was still being written')
    const { rows } = await readSheet(await exporting)
    t.equal(rows.length, 5000)
    t.equal(new Set(rows.map((row) => row[0])).size, 5000)
  })
})

t.test('nobody’s requests lead to the sign-in page', async (t) => {
  const { newBrowser, cast } = await startCabinet(t)
  const nobody = newBrowser()
  for (const path of [
    '/dealers',
    '/dealers/export',
    '/dealers/add',
    `/dealers/edit/${cast.denis}`,
    `/dealers/edit/${unknown}`,
    '/dealers/delete?id=1',
  ])
    t.match(String((await nobody.get(path)).headers.location), /^\/login\?next=/, path)
  for (const path of ['/dealers/add', `/dealers/edit/${cast.denis}`, '/dealers/delete', `/dealers/${cast.denis}/active`])
    t.equal((await nobody.post(path, { value: 0 })).headers.location, '/login', path)
})
