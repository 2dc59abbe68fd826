import { eq, getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import { anyOf, group, isGroup } from '../../src/core/access.ts'
import { fileColumns } from '../../src/database/file-columns.ts'
import { companies, news, orderMessages, stocks, uploads } from '../../src/database/schema/index.ts'
import { attachmentsOf } from '../../src/records/attachments.ts'
import { holdsFile, holdsFiles, image, images, picture, repeater, rowsOf, text, upload } from '../../src/records/fields/index.ts'
import { formWithoutTable, type RecordForm, type Section } from '../../src/records/form/form.ts'
import type { AnyCard } from '../../src/records/kind/card.ts'
import { cardsOf } from '../../src/records/kind/registry.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { filesOf } from '../support/files.ts'
import { storeUpload } from '../support/uploads.ts'

async function* chunks(content: string) {
  yield Buffer.from(content)
}

async function storeOld({ app, db, cast }: Cabinet, name: string): Promise<string> {
  const { key } = await storeUpload({ db, dataDir: app.config.dataDir }, chunks(name), { name, userId: cast.maria })
  db.update(uploads)
    .set({ at: Date.now() - 48 * 3600_000 })
    .run()
  return key
}

/** A card of a kind of record that there is not. */
function madeUpCard<T extends SQLiteTable & { id: unknown }>({ app, db }: Cabinet, table: T, fields: Section['fields']): void {
  const find = (_: unknown, id: number) =>
    db
      .select()
      .from(table as never)
      .where(eq((table as never as typeof stocks).id, id))
      .get()
  const view = anyOf(isGroup(group.production), isGroup(group.manager))
  const card = { form: { ...formWithoutTable([{ title: 'Made up', fields }]), table }, find, may: { view } }
  app.records.set(`made up ${app.records.size}`, { card: card as never as AnyCard })
}

t.test('a file in any field of a form is kept and served, in rows too, and goes once nothing names it', async (t) => {
  const cabinet = await startCabinet(t, { anew: true })
  const { app, db, as, cast } = cabinet
  const store = (name: string) => storeOld(cabinet, name)
  madeUpCard(cabinet, stocks, { name: upload('Plan') })
  madeUpCard(cabinet, companies, {
    okved: picture('Seal', { needs: 'order_can_view_prices' }),
    okato: image('Portrait'),
    files: repeater('Scans', { name: text('Name'), scan: upload('Scan') }, { key: 'id', rowLabel: 'Scan' }),
  })
  madeUpCard(cabinet, news, { images: images('Pictures', { max: 3 }) })
  const [plan, seal, portrait, scan, shot, unused] = (await Promise.all(
    ['plan', 'seal', 'portrait', 'scan', 'shot', 'unused'].map(store),
  )) as [string, string, string, string, string, string]
  db.update(stocks).set({ name: plan }).where(eq(stocks.id, cast.stock)).run()
  const files = [
    { name: 'Scan of beta', scan: 'another' },
    { name: 'Scan of alpha', scan },
  ]
  db.update(companies)
    .set({ okved: seal, okato: portrait, files: files as never })
    .where(eq(companies.id, cast.companies.alpha))
    .run()
  db.insert(news)
    .values({ name: 'Shots', images: ['another', shot] })
    .run()

  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), [plan, seal, portrait, scan, shot].sort())
  t.notOk(filesOf(cabinet).includes(unused))

  const pavel = await as('pavel')
  const names = { [plan]: plan, [scan]: 'Scan of alpha', [portrait]: 'Alpha', [shot]: 'Shots' }
  for (const [key, name] of Object.entries(names)) {
    const answer = await pavel.get(`/files/${key}`)
    t.equal(answer.statusCode, 200, name)
    t.match(String(answer.headers['content-disposition']), `"${name}`)
  }
  t.equal((await pavel.get(`/files/${seal}`)).statusCode, 403, 'a field that this person may not see')
  t.equal((await (await as('maria')).get(`/files/${seal}`)).statusCode, 200)
  const hidden = await (await as('clerk')).get(`/files/${plan}`)
  t.equal(hidden.statusCode, 403, 'a record that this person may not see')
  t.match(hidden.body, 'This file belongs to a record that you cannot see')

  db.update(companies).set({ okved: null, files: [] }).run()
  await sweepUploads(app)
  t.same(filesOf(cabinet).sort(), [plan, portrait, shot].sort(), 'what nothing names any more goes')
})

/** A row of a table, with a file in one of its columns. */
function insertNaming({ db }: Cabinet, table: SQLiteTable, name: string, key: string): void {
  const columns = Object.values(getTableColumns(table)).filter((column) => column.notNull && !column.hasDefault && !column.primary)
  const values = Object.fromEntries(columns.map((column) => [column.name, column.dataType === 'number' ? 1 : 'x']))
  const { dataType } = getTableColumns(table)[name] as { dataType: string }
  db.delete(table).run()
  db.insert(table)
    .values({
      ...values,
      [name]: dataType === 'json' ? jsonWith(table, key) : key,
      ...(getTableName(table) === 'users' && { group_id: group.manager }),
    })
    .run()
}

const jsonWith = (table: SQLiteTable, key: string) => (getTableName(table) === 'companies' ? [{ name: 'x', file: key }] : ['other', key])

t.test('every column of the schema that holds files is attached, and kept even where no form knows it', async (t) => {
  const cabinet = await startCabinet(t, { anew: true })
  const { app, db } = cabinet
  db.$client.pragma('foreign_keys = off')
  t.ok(fileColumns.length > 10)
  db.insert(orderMessages).values({ id: 1, order_id: 1, at: 1, author_id: 1, author_name: 'x', author_group: 1, text: 'x' }).run()
  for (const { table, name } of fileColumns) {
    const place = `${getTableName(table)}.${name}`
    const key = await storeOld(cabinet, place)
    insertNaming(cabinet, table, name, key)
    t.not(attachmentsOf(app, key).length, 0, `${place} is attached`)
    const { records, registry } = app
    Object.assign(app, { records: new Map(), registry: { ...registry, filesBesideCards: [] } })
    await sweepUploads(app)
    t.ok(filesOf(cabinet).includes(key), `${place} is kept`)
    Object.assign(app, { records, registry })
  }
})

t.test('the schema says of every column with files that it has them', async (t) => {
  const cabinet = await startCabinet(t)
  const marked = fileColumns.map(({ table, name }) => `${getTableName(table)}.${name}`)
  for (const { table, fields } of cardsOf(cabinet.app).map(({ form }) => form as RecordForm))
    for (const [name, field] of Object.entries(fields)) {
      const holds = field && (holdsFile(field) || holdsFiles(field) || Object.values(rowsOf(field)).some(holdsFile))
      // Lines of orders are a table of their own.
      if (holds && name !== 'items') t.ok(marked.includes(`${getTableName(table)}.${name}`), `${getTableName(table)}.${name}`)
    }
})
