import type { FastifyRequest } from 'fastify'
import type { Actor, Rule } from '../../core/access.ts'
import type { RecordTable } from '../../database/records.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Field } from '../form/fields.ts'
import type { CreateValues, EditValues, Form, FormPage } from '../form/form.ts'
import type { FormView } from '../form/view.ts'
import type { FindRecord } from '../http.ts'
import type { Part } from '../view/page.ts'
import type { Tab } from './tabs.ts'

// biome-ignore lint/suspicious/noExplicitAny: what reads cards of every kind does not submit their forms
export interface Card<R extends { id: number; version: number }, F extends Form = any> {
  list: string
  listTitle: string
  path: string
  table: RecordTable
  form: F
  may: { list: Rule<R>; view: Rule<R>; add: Rule<R>; edit: Rule<R> }
  find: FindRecord<R>
  newTitle: string
  titleOf: (record: R, t: Translate) => string
  stateOf?: (request: FastifyRequest, record: R) => { state: string; text: string }
  page: (request: FastifyRequest, record?: R) => FormPage
  create: (request: FastifyRequest, values: CreateValues<F>) => number
  /** Runs inside the transaction with passwords hashed; may throw `ValidationFailed`. */
  save: (request: FastifyRequest, record: R, values: EditValues<F>) => void
  created: string
  keyOf?: (record: R) => string
  /** The tab that a newly created record opens on. */
  nextTab?: (request: FastifyRequest) => string | null
  /** There is only one such record, and the path is its address. */
  single?: boolean
  extraFields?: Record<string, Field>
  /** Shows what saving would change when the body carries `_preview`, on these tabs. */
  preview?: Preview<R, EditValues<F>>
  panel?: Part<[FastifyRequest, R | undefined, FormView]>
  hiddenFrom?: (actor: Actor) => string[]
  tabs?: readonly Tab<R>[]
}

export interface Preview<R, V> extends Part<[FastifyRequest, R, V]> {
  tabs: readonly string[]
}

export function recordPath({ path, single }: { path: string; single?: boolean }, key: string | number): string {
  return single ? path : `${path}/edit/${encodeURIComponent(key)}`
}

declare module 'fastify' {
  interface FastifyInstance {
    // biome-ignore lint/suspicious/noExplicitAny: records of every kind
    cards: Card<any>[]
  }
}
