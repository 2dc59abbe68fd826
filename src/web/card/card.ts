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

/** A record's create form and edit card, as a module declares them. */
// biome-ignore lint/suspicious/noExplicitAny: what reads cards of every kind does not submit their forms
export interface Card<R extends { id: number; version: number }, F extends Form = any> {
  /** The list it belongs to, and prefix of its templates. */
  list: string
  listTitle: string
  /** `/dealers`: its pages are `/dealers/add` and `/dealers/edit/{id}`. */
  path: string
  table: RecordTable
  form: F
  may: { list: Rule<R>; view: Rule<R>; add: Rule<R>; edit: Rule<R> }
  find: FindRecord<R>
  newTitle: string
  titleOf: (record: R, t: Translate) => string
  /** The state that its head tells, in words. */
  stateOf?: (request: FastifyRequest, record: R) => { state: string; text: string }
  /** Present values, choices and locked fields for this person; without a record, for a new one. */
  page: (request: FastifyRequest, record?: R) => FormPage
  /** Saves a new record and returns its id; runs inside the transaction, passwords hashed; may throw `Invalid`. */
  create: (request: FastifyRequest, values: CreateValues<F>) => number
  /** Saves what changed of a record; runs inside the transaction, passwords hashed; may throw `Invalid`. */
  save: (request: FastifyRequest, record: R, values: EditValues<F>) => void
  created: string
  /** What the address of a new record's card names it by, when that is not its id. */
  keyOf?: (record: R) => string
  /** Columns that the change history names and the form does not. */
  extraFields?: Record<string, Field>
  /** What saving would change, shown with the form when `_preview` travels along, and on which tabs that is offered. */
  preview?: Preview<R, EditValues<F>>
  /** A template of its own around the form, and what else that draws. */
  panel?: Part<[FastifyRequest, R | undefined, FormView]>
  /** Fields of the history that this person may not even see. */
  hiddenFrom?: (actor: Actor) => string[]
  /** The tabs beside the data; the history comes by itself. */
  tabs?: readonly Tab<R>[]
}

/** Loaded from the values that would be saved; nothing is. */
export interface Preview<R, V> extends Part<[FastifyRequest, R, V]> {
  tabs: readonly string[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Every card: the change history takes words and links from them. */
    // biome-ignore lint/suspicious/noExplicitAny: records of every kind
    cards: Card<any>[]
  }
}
