import type { FastifyRequest } from 'fastify'
import { allows, anyOf, everyone, type Rule } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { type FormInput, queryOf } from '../../http/request/input.ts'
import type { FindRecord, RoutePolicy } from '../../http/request/route-policy.ts'
import { type Fragment, type Template, template } from '../../http/request/template.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import type { Field } from '../fields/index.ts'
import type { viewOfConflicts } from '../form/conflict-view.ts'
import type { CreateValues, EditValues, Entry, Form, FormState, RecordForm } from '../form/form.ts'
import type { Sent } from '../form/sent.ts'
import type { FormView } from '../form/view.ts'
import type { ListRegion } from '../list/show.ts'

export interface CardRecord {
  id: number
  version: number
}

// biome-ignore lint/suspicious/noExplicitAny: what reads cards of every kind does not submit their forms
export interface Card<R extends CardRecord, F extends RecordForm = any> {
  list: string
  path: string
  /** Where a record is read, if that is not its form: its id follows. */
  page?: string
  form: F
  may: { list: Rule<R>; view: Rule<R>; add: Rule<R>; edit: Rule<R>; delete?: Rule<R> }
  find: FindRecord<R>
  /** What is said where there is none with an id, unless it is what is said of any record. */
  missing?: RoutePolicy['missing']
  titleOf: (record: R, t: Translate, language: Language) => string
  head?: Head<R>
  /** The record as one reads it, to which lists and searches lead; those who may change it open the form beside it. */
  overview?: Overview<R>
  formState: (context: Context, record: R | undefined, input: FormInput) => FormState
  /** Fields that may have what another record has, whatever they declare. */
  shared?: (context: Context, record: R | undefined) => readonly string[]
  /** What takes long, before the transaction. */
  prepare?: (request: FastifyRequest, record: R | undefined, sent: Sent) => Promise<void>
  /** Without it there is one record, which is always there. */
  creation?: Creation<F, R>
  save: (context: Context, record: R, values: EditValues<F>) => void
  /** The path to which saving leads, where that is not the card as it was open; `before` is missing for a new record. */
  next?: (request: FastifyRequest, record: R, before?: R) => string | undefined
  extraFields?: Record<string, Field>
  panel?: Panel<R>
  /** Lists with the filter that narrows each to this record. */
  related?: Readonly<Record<string, string>>
  tabs?: readonly Tab<R>[]
}

type Overview<R> = Fragment<[FastifyRequest, R]>

/** What stands above the tabs of a card. */
export interface Head<R> {
  state?: (context: Context, record: R) => RecordState
  /** The key of an avatar. */
  picture?: (record: R) => string | null
  facts?: (context: Context, record: R) => Fact[]
  menu?: (context: Context, record: R) => MenuLink[]
}

// biome-ignore lint/suspicious/noExplicitAny: forms of every kind
export interface Creation<F extends Form = any, R = any> {
  title: string
  done: string
  /** What the form of the next one begins with, by the query of its address, where several are added in a row. */
  again?: (record: R) => Record<string, string>
  create: (context: Context, values: CreateValues<F>) => number
}

/** A page of its own for the form, with what it shows besides the fields, and what it works out for them. */
interface Panel<R> {
  template: string
  load: (request: FastifyRequest, record: R | undefined, state: FormState, entry?: Entry) => ComputedInputs
}

interface ComputedInputs {
  inputs?: Pick<FormState, 'computed' | 'hints'>
}

export interface RecordState {
  state: string
  text: string
}

export interface Fact {
  label: string
  text?: string | null
  /** `name` makes it an element with `data-<name>`. */
  amount?: { id?: string; name?: string; kopecks: number }
  /** Shown as what should not be. */
  late?: boolean
  href?: string
}

export interface MenuLink {
  label: string
  icon: string
  href: string
}

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
export type AnyCard = Card<any>

export interface CardFrame {
  title: string
  list_name: string
  tabs?: ReturnType<typeof tabLinks>
  /** The form, for those who may change the record. */
  editAddress?: string
  /** The form of the open tab, where it is only read. */
  tabForm?: string
  /** What most come to the record for; the form comes second then. */
  purpose?: MenuLink & { quiet: boolean }
  mayList?: boolean
  back?: string
  listTitle?: string
  state?: RecordState
  picture?: string | null
  facts?: Fact[]
  menuLinks?: MenuLink[]
  menuTabs?: (ReturnType<typeof linkTo> & { icon: string })[]
  again?: boolean
  deletion?: string
  /** Why its deletion is not offered. */
  kept?: string
  /** The addresses of the records beside it in the list that its reader came from. */
  neighbors?: { previous: string | undefined; next: string | undefined }
  lastChange?: { at: number; actor_name: string; impersonator_name: string | null }
  crops?: boolean
  writes?: boolean
  rowAddress?: string
  record?: object
}

export interface FormTab {
  form: FormView
  conflicts?: FormConflicts
  action: string
}

export const listTab = template<CardFrame & ListRegion>('pages/list-tab.njk')

export const formCard = template<CardFrame & FormTab>('pages/card.njk')

export function cardPart<Data extends object, Args extends unknown[]>(
  { template }: Template<Data>,
  load: (...args: Args) => NoInfer<Omit<Data, keyof CardFrame | keyof FormTab>> & ComputedInputs,
): { template: string; load: (...args: Args) => object & ComputedInputs } {
  return { template, load }
}

/** A tab of a card: hidden from people its rule denies, and 403 by address. Without a template it shows the form groups that name it. */
export interface Tab<R> extends Partial<Fragment<[FastifyRequest, R]>> {
  name: string
  label: string
  rule: Rule<R>
  /** Its icon in the menu of the record, where it stands as few come for it. */
  icon?: string
  /** Whether there is something for it to show at all; without it, it always is there. */
  isOffered?: (context: Context) => boolean
}

export const holdsForm = ({ template }: Pick<Tab<never>, 'template'>) => template === undefined

/** The fields of a record that stand on no other tab. */
export const formTab: Tab<unknown> = { name: 'data', label: 'Data', rule: anyOf(everyone()) }

/**
 * The tabs of which none is seldom used, and the open one.
 * @param usual the tab that opens where none is named
 * @param address of the card, which a form on one of its tabs may not be sent to
 * @param read whether a tab with a form opens as one reads it
 */
export function tabLinks<R>(
  request: FastifyRequest,
  tabs: readonly Tab<R>[],
  record: R,
  { open, usual = formTab.name, address, read = false }: { open: Tab<R> | undefined; usual?: string; address: string; read?: boolean },
) {
  const current = open?.name ?? formTab.name
  const visible = tabs.filter((tab) => allows(tab.rule, request.actor, record) && (!tab.icon || tab === open))
  if (visible.length === 1 || visible.every(({ name }) => name === usual || name === formTab.name)) return []
  return visible.map((tab) => {
    const link = linkTo(request, tab, address, usual)
    return { ...link, href: read && holdsForm(tab) && tab !== formTab ? `${link.href}&read=1` : link.href, current: tab.name === current }
  })
}

/** The other tabs, as the menu of the record shows them. */
export function menuTabs<R>(request: FastifyRequest, tabs: readonly Tab<R>[], record: R, address: string) {
  return tabs.flatMap(({ icon, ...tab }) =>
    icon && allows(tab.rule, request.actor, record) ? [{ ...linkTo(request, tab, address), icon }] : [],
  )
}

function linkTo(request: FastifyRequest, { name, label }: Pick<Tab<never>, 'name' | 'label'>, address: string, usual = formTab.name) {
  return { name, label: request.t(label), href: `${address}${tabQuery(request, name === usual ? null : name)}` }
}

export function cardAddress({ url }: FastifyRequest): string {
  const [path = ''] = url.split('?')
  return /^.*\/edit\/[^/]+/.exec(path)?.[0] ?? path
}

export function tabQuery(request: FastifyRequest, tab: string | null): string {
  const back = queryOf(request).get('back')
  const query = new URLSearchParams({ ...(tab && { tab }), ...(back && { back }) })
  return query.size > 0 ? `?${query}` : ''
}

type FormConflicts = ReturnType<typeof viewOfConflicts>
