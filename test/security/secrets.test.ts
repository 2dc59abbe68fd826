import { Readable } from 'node:stream'
import { getTableColumns, getTableName } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import t from 'tap'
import { tables } from '../../src/database/references.ts'
import { findRules } from '../../src/database/schema/columns.ts'
import {
  changes,
  passwordResets,
  pendingSubmissions,
  recoveryCodes,
  secondFactors,
  securityEvents,
  sessions,
  trash,
  users,
} from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'

t.test('every column that holds a secret is declared as secret', async (t) => {
  const telling = /password|secret|token|hash|sealed/
  for (const table of tables)
    for (const name of Object.keys(getTableColumns(table)))
      if (telling.test(name)) t.ok(findRules(table)?.secret.has(name), `${getTableName(table)}.${name}`)
})

t.test('history, trash, exports and security log contain no secret of any user', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const root = await as('root')
  await as('denis')
  const user_id = cast.denis
  const mark = 'a-secret-value'
  db.update(users).set({ password: mark }).run()
  db.update(sessions).set({ factor_secret: mark }).run()
  db.insert(secondFactors).values({ user_id, secret: mark, last_step: 1, created_at: 1 }).run()
  db.insert(recoveryCodes).values({ user_id, code_hash: mark }).run()
  db.insert(passwordResets).values({ user_id, token_hash: mark, email: 'denis@example.com', at: Date.now() }).run()
  db.insert(pendingSubmissions)
    .values({ user_id, browser_hash: mark, sealed: Buffer.from(mark), at: Date.now() })
    .run()
  const sheet = await root.get('/dealers/export')
  t.equal(sheet.statusCode, 200)
  await root.post(`/dealers/edit/${user_id}`, { password: 'a brand new password' })
  db.update(users).set({ password: mark }).run()
  t.equal((await root.post('/dealers/delete', { id: user_id })).statusCode, 303)
  for (const table of [trash, changes, securityEvents]) t.notMatch(JSON.stringify(db.select().from(table).all()), mark, getTableName(table))
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.read(Readable.from(sheet.rawPayload) as never)
  const cells = JSON.stringify(workbook.worksheets[0]?.getSheetValues())
  t.match(cells, 'Denis')
  t.notMatch(cells, mark)
})
