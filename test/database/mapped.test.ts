import { eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import { mapped } from '../../src/database/mapped.ts'
import { changes, companies, sessions, users } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'

t.test('a prepared select gives what drizzle gives', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const admin = await as('admin')
  await admin.post(`/dealers/${cast.denis}/active`, { value: '0' })
  const manager = alias(users, 'manager')
  const dealers = () =>
    db
      .select({
        ...getTableColumns(users),
        company: companies.org,
        manager: { name: manager.name, active: manager.active, tg_id: manager.tg_id },
        shouted: sql<string>`upper(${users.lastname})`,
        counted: sql<number>`count(*) over ()`.mapWith(String),
      })
      .from(users)
      .leftJoin(companies, eq(companies.id, users.company_id))
      .leftJoin(manager, eq(manager.id, users.manager_id))
      .where(sql`${users.group_id} in (select value from json_each(${sql.placeholder('groups')}))`)
      .prepare()
  const groups = { groups: '[1, 2]' }
  const wanted = dealers().all(groups)
  t.ok(wanted.some((row) => row.manager === null) && wanted.some((row) => row.manager?.active), 'with managers and without')
  t.ok(wanted.some((row) => row.active) && wanted.some((row) => !row.active), 'switched on and off')
  t.same(mapped(dealers()).all(groups), wanted)
  t.same(mapped(dealers()).get(groups), dealers().get(groups), 'one of them')
  t.same(mapped(dealers()).get({ groups: '[99]' }), undefined, 'none')
  t.same(mapped(db.select().from(sessions).prepare()).all(), db.select().from(sessions).all(), 'a whole table')
  t.same(mapped(db.select().from(changes).prepare()).all(), db.select().from(changes).all(), 'with values kept as JSON')
})
