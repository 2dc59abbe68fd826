import type { FastifyRequest } from 'fastify'
import type { Actor, Rule } from '../../core/access.ts'
import type { RecordTable } from '../../database/records.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import type { CreateValues, EditValues, Field, Form, FormPage } from '../form/form.ts'
import type { FormView } from '../form/view.ts'
import type { FindByKey, FindRecord, Part } from '../http.ts'
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
  findByKey?: FindByKey<R>
  newTitle: string
  titleOf: (record: R, t: Translate, language: Language) => string
  stateOf?: (request: FastifyRequest, record: R) => RecordState
  keyFacts?: (request: FastifyRequest, record: R) => Fact[]
  menuOf?: (request: FastifyRequest, record: R) => MenuLink[]
  page: (request: FastifyRequest, record?: R) => FormPage
  create: (request: FastifyRequest, values: CreateValues<F>) => number
  save: (request: FastifyRequest, record: R, values: EditValues<F>) => void
  created: string
  keyOf?: (record: R) => string
  nextTab?: (request: FastifyRequest) => string | null
  nextAddress?: (request: FastifyRequest, before: R) => string | undefined
  single?: boolean
  extraFields?: Record<string, Field>
  preview?: Preview<R, EditValues<F>>
  panel?: Part<[FastifyRequest, R | undefined, FormView]>
  hiddenFrom?: (actor: Actor) => string[]
  undeletable?: boolean
  related?: [list: string, filter: string][]
  tabs?: readonly Tab<R>[]
}

export interface RecordState {
  state: string
  text: string
}

export interface Fact {
  label: string
  text?: string | null
  amount?: { id?: string; kopecks: number }
  href?: string
}

export interface MenuLink {
  label: string
  icon: string
  href: string
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
