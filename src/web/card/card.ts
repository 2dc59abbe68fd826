import type { FastifyRequest } from 'fastify'
import type { Rule } from '../../core/access.ts'
import type { Database } from '../../database/open.ts'
import type { RecordTable } from '../../database/records.ts'
import type { Form, Values } from '../form/form.ts'
import type { FormPage } from '../form/read.ts'
import type { FindRecord } from '../http.ts'

/** A record's create form and edit card, as a module declares them. */
export interface Card<R extends { id: number }> {
  /** The list it belongs to, and prefix of its templates. */
  list: string
  listTitle: string
  /** `/dealers`: its pages are `/dealers/add` and `/dealers/edit/{id}`. */
  path: string
  table: RecordTable
  form: Form
  may: { list: Rule<R>; view: Rule<R>; add: Rule<R>; edit: Rule<R> }
  find: FindRecord<R>
  newTitle: string
  titleOf: (record: R) => string
  /** Choices and locked fields for this person; without a record, for a new one. */
  page: (db: Database, request: FastifyRequest, record?: R) => FormPage
  /** Saves a new record in one transaction and returns its id; may throw `Invalid`. */
  create: (request: FastifyRequest, values: Values) => number | Promise<number>
  /** Saves what changed in one transaction; may throw `Invalid`. */
  save: (request: FastifyRequest, values: Values) => void | Promise<void>
  created: string
}
