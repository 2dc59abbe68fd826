import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import { apiTokens, changes } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'
import { setTimeZone } from '../support/time-zone.ts'

// A day has 23 hours when summer time begins and 25 when it ends. This file looks at a clock that changes, whatever the machine has.
setTimeZone(t, 'Europe/Berlin')

const days = [
  { day: '2026-03-29', begins: '2026-03-28T23:00:00Z', ends: '2026-03-29T22:00:00Z' },
  { day: '2026-10-25', begins: '2026-10-24T22:00:00Z', ends: '2026-10-25T23:00:00Z' },
]

t.test('every filter by days takes the whole day, and nothing of the next, when the clocks change', async (t) => {
  const { app } = await startCabinet(t)
  const dialect = new SQLiteSyncDialect()
  let seen = 0
  for (const { list } of app.records.values())
    for (const { name, input, where } of list?.filters ?? []) {
      if (input !== 'date') continue
      for (const { day, begins, ends } of days) {
        const condition = where(day)
        const [limit] = condition ? dialect.sqlToQuery(condition).params : []
        const isUntil = name.endsWith('until')
        const moment = Date.parse(isUntil ? ends : begins)
        t.ok(limit === day || limit === moment, `${list?.name} ${name}=${day}: ${limit} is neither the day nor ${moment}`)
        seen += 1
      }
    }
  t.ok(seen >= 20, `${seen} filters`)
})

t.test('the change history of such a day has what happened from its first to its last moment', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  for (const { day, begins, ends } of days) {
    const moments = [Date.parse(begins) - 1, Date.parse(begins), Date.parse(ends) - 1, Date.parse(ends)]
    db.delete(changes).run()
    for (const [record_id, at] of moments.entries())
      db.insert(changes)
        .values({
          entity: 'companies',
          record_id: record_id + 1,
          record_version: 1,
          at,
          action: 'update',
          label: `at ${record_id}`,
          actor_name: 'x',
          fields: {},
        })
        .run()
    const total = async (query: string) => Number(parseHtml((await root.get(`/activity?${query}`)).body)('[data-total]').attr('data-total'))
    t.equal(await total(`from=${day}&until=${day}`), 2, day)
    t.equal(await total(`from=${day}`), 3)
    t.equal(await total(`until=${day}`), 3)
    const sheet = (await root.get(`/activity/export?format=csv&from=${day}&until=${day}`)).body
    t.same(sheet.match(/at \d/g)?.sort(), ['at 1', 'at 2'], `${day} in the spreadsheet`)
  }
})

t.test('a token that is valid until such a day works to its last moment', async (t) => {
  const { as, db } = await startCabinet(t)
  const maria = await as('maria')
  for (const [day, end] of [
    ['2027-03-28', '2027-03-28T22:00:00Z'],
    ['2027-10-31', '2027-10-31T23:00:00Z'],
  ] as const) {
    db.delete(apiTokens).run()
    await maria.post('/profile/tokens', { name: 'Until', expires: day })
    t.equal(db.select().from(apiTokens).get()?.expires_at, Date.parse(end), day)
  }
})
