import { and, getTableName, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import { type Actor, allows } from '../core/access.ts'
import { columnOf, namesFile } from '../database/file-columns.ts'
import { type Database, prepareOnce } from '../database/index.ts'
import { labelOf } from '../database/references.ts'
import type { Place } from '../http/uploads/uploaded.ts'
import { type Field, type Fields, holdsFile, isRepeater, kindOf } from './fields/index.ts'
import { unseenFields } from './form/form.ts'
import type { AnyCard } from './kind/card.ts'
import { cardsOf } from './kind/registry.ts'

/** A record that refers to a file. */
interface Attachment {
  record: Place
  /** Where the record itself says how the file is called. */
  name?: string
  mayRead: (actor: Actor) => boolean
  /** Who reads it nowhere, whatever else refers to it, as it says prices. */
  isRefused?: (actor: Actor) => boolean
}

export type AttachmentSource = (db: Database, key: string) => Attachment[]

declare module 'fastify' {
  interface Registry {
    /** What refers to a file without being on the form of a card. */
    filesBesideCards: AttachmentSource[]
  }
}

/** All records that refer to a file. What a record holds is said by the form of its card. */
export function attachmentsOf(server: FastifyInstance, key: string): Attachment[] {
  const { db, registry } = server
  return [
    ...cardsOf(server).flatMap((card) => attachmentsOfCard(db, card, key)),
    ...registry.filesBesideCards.flatMap((find) => find(db, key)),
  ]
}

/** The records of one card that refer to a file, readable by whoever may see record and field. */
export function attachmentsOfCard(db: Database, card: AnyCard, key: string): Attachment[] {
  return placesOf(card).flatMap(({ field, find }) =>
    find(db)
      .all({ key })
      .map(({ id, name }) => ({
        record: { entity: getTableName(card.form.table), id, field: field.split('.')[0] },
        name: name ?? undefined,
        mayRead: (actor) => maySee(db, card, id, field, actor),
      })),
  )
}

function maySee(db: Database, card: AnyCard, id: number, field: string, actor: Actor): boolean {
  const record = card.find(db, id, actor)
  const hidden = unseenFields(Object.entries(card.form.fields as Fields), actor)
  return (
    record !== undefined && allows(card.may.view, actor, record) && !hidden.some((name) => field === name || field.startsWith(`${name}.`))
  )
}

/** A field, or a part of rows such as `files.file`, with the records that hold a file there. */
interface HeldPlace {
  field: string
  find: FindRecords
}

interface FoundRecord {
  id: number
  name: string | null
}

type FindRecords = (db: Database) => { all: (given: { key: string }) => FoundRecord[] }

function placesOf({ form }: AnyCard): HeldPlace[] {
  const { table } = form
  const fields = Object.entries(form.fields as Fields)
  const found = () =>
    fields.flatMap(([name, field]) => {
      const column = columnOf(table, name)
      return isRepeater(field) ? rowPlaces(table, column, name, field.rows) : place(table, column, name, field)
    })
  const places = known.get(form) ?? found()
  known.set(form, places)
  return places
}

const known = new WeakMap<object, HeldPlace[]>()

/** A picture is called like its record. */
function place(table: SQLiteTable, column: SQLiteColumn | undefined, name: string, field: Field): HeldPlace[] {
  const { file } = kindOf(field)
  if (!column || !file) return []
  const called = file.of === 'files' ? sql<null>`null` : sql<string>`${labelOf(table)}`
  const find = findRecords((db, key) =>
    db
      .select({ id: idOf(table), name: called })
      .from(table)
      .where(namesFile(column, key)),
  )
  return [{ field: name, find }]
}

/** A row may say how its file is called. Rows that are a table of their own are declared in `filesBesideCards`. */
function rowPlaces(table: SQLiteTable, column: SQLiteColumn | undefined, name: string, rows: Fields): HeldPlace[] {
  const parts = Object.keys(rows).filter((part) => column && holdsFile(rows[part] as Field))
  return parts.map((part) => {
    const holding = (key: unknown) => and(namesFile(column as SQLiteColumn, key), sql`value ->> ${part} = ${key}`)
    const named = { id: idOf(table), name: sql<string | null>`value ->> 'name'` }
    const find = findRecords((db, key) => db.select(named).from(table).innerJoin(sql`json_each(${column})`, sql`1`).where(holding(key)))
    return { field: `${name}.${part}`, find }
  })
}

type Query = { prepare: () => { all: (given: { key: string }) => FoundRecord[] } }

const findRecords = (query: (db: Database, key: unknown) => Query): FindRecords =>
  prepareOnce((db, params) => query(db, params.key).prepare())

const idOf = (table: SQLiteTable) => sql<number>`${columnOf(table, 'id')}`
