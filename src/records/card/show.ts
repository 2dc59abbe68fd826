import { and, desc, eq, getTableName } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows, isDealer } from '../../core/access.ts'
import { changes, prepareOnce } from '../../database/index.ts'
import { authorize } from '../../http/access/authorize.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError, notFound } from '../../http/request/errors.ts'
import { inputOf, queryOf, wantsFragment } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import { holdsFile, holdsFiles, isRepeater, kindOf } from '../fields/index.ts'
import { rowLimit } from '../fields/kind.ts'
import { viewOfConflicts, withMerged } from '../form/conflict-view.ts'
import { type Entry, type Form, type FormState, fieldsOf, isLocked } from '../form/form.ts'
import type { Conflict } from '../form/form-action.ts'
import { tooManyLines } from '../form/inputs.ts'
import { viewOfEmptyRow, viewOfForm } from '../form/view.ts'
import { actorNameFor } from '../history/actor-name.ts'
import {
  type AnyCard,
  type Card,
  type CardRecord,
  cardAddress,
  formCard,
  formTab,
  holdsForm,
  menuTabs,
  type Tab,
  tabLinks,
  tabQuery,
} from '../kind/card.ts'
import { formStateOf } from '../kind/form-state.ts'
import { kindTitle } from '../kind/registry.ts'
import { findRefusal } from '../list/deletion.ts'
import { neighborsOf } from '../list/neighbors.ts'
import { readingPath } from '../list/record-paths.ts'
import { backToList } from '../list/show.ts'
import { historyTab, relatedTabs } from './list-tabs.ts'

/** The form of a new record; `state` where it begins with something else than the request. */
export function createPage(
  request: FastifyRequest,
  reply: FastifyReply,
  card: AnyCard,
  entry?: Entry,
  state = formStateOf(card, request, undefined, inputOf(request)),
) {
  const title = request.t(String(card.creation?.title))
  const address = url(request.server, `${card.path}/add`)
  const begun = { ...state, focus: state.focus ?? firstInput(card.form, state) }
  const again = card.creation?.again !== undefined
  const data = { ...viewOfFrame(request, card, address), title, again, ...viewOfPanel(request, card, undefined, begun, { entry }) }
  return reply.page(card.panel ?? formCard, data)
}

/** What one fills in first. */
function firstInput(form: Form, state: FormState): string | undefined {
  const fields = form.sections.flatMap((section) => Object.keys(section.fields))
  const shown = fieldsOf(form, state)
  return fields.find((name) => {
    const field = shown.get(name)
    const isChosen = field && kindOf(field).refers && state.stored[name] != null
    return field && !isChosen && !field.unplaced && !isLocked(state, name) && !holdsFile(field) && !holdsFiles(field)
  })
}

/** What a card shows besides its record as it is stored. */
interface Shown {
  /** What was typed, and what is wrong with it. */
  entry?: Entry
  conflict?: Conflict
  /** In place of what the open tab loads. */
  more?: object
  /** The open tab, whatever the address names. */
  tab?: string
  /** The tab that opens where the address names none. */
  usual?: string
}

export function editPage<R extends CardRecord>(request: FastifyRequest, reply: FastifyReply, card: Card<R>, record: R, shown: Shown = {}) {
  const { server, t, language } = request
  const address = card.creation ? cardAddress(request) : url(server, card.path)
  const tabs = tabsOf(request, card)
  const mayEdit = allows(card.may.edit, request.actor, record)
  const { usual = formTab.name } = shown
  const asked = findTab(card.form, shown.tab ?? queryOf(request).get('tab') ?? usual, shown)
  const tab = tabs.find(({ name }) => name === asked)
  if (tab) authorize(tab.rule, request.actor, record)
  const editsBeside = card.overview !== undefined && mayEdit
  const offered = editsBeside && tab && tab !== formTab ? tabs.filter((one) => one !== formTab) : tabs
  const isRead = editsBeside && tab !== formTab && holdsForm(tab ?? formTab) && queryOf(request).has('read')
  return reply.page(
    { template: tab?.template ?? (card.panel ?? formCard).template },
    {
      ...viewOfFrame(request, card, address),
      title: card.titleOf(record, t, language),
      ...viewOfHeader(request, card, record),
      menuTabs: menuTabs(request, tabs, record, address),
      record,
      tabs: tabLinks(request, offered, record, { open: tab, usual, address, read: editsBeside }),
      editAddress: editsBeside ? address + tabQuery(request, null) : undefined,
      tabForm: isRead ? address + tabQuery(request, asked ?? null) : undefined,
      lastChange: isDealer(request.actor) ? undefined : findLastChange(request, getTableName(card.form.table), record.id),
      ...(tab?.load ? tab.load(request, record) : viewOfPanel(request, card, record, formOn(request, card, record, tab), shown, isRead)),
      ...shown.more,
    },
  )
}

function formOn(request: FastifyRequest, card: AnyCard, record: CardRecord, tab: Tab<never> | undefined): FormState {
  return { ...formStateOf(card, request, record, inputOf(request)), tab: tab === formTab ? undefined : tab?.name }
}

/** The tab that is asked for, or one with what is wrong. */
function findTab(form: Form, asked: string, { entry, conflict }: Shown): string | undefined {
  if (!entry) return asked
  const errors = Object.keys(entry.errors).map((id) => id.split('.')[0] as string)
  const concerned = [errors, conflict?.merge.conflicts ?? [], Object.keys(entry.rows)].find((names) => names.length > 0) ?? []
  const tabs = concerned.map((name) => form.sections.find(({ fields }) => Object.hasOwn(fields, name))?.tab ?? formTab.name)
  return tabs.length === 0 || tabs.includes(asked) ? asked : tabs[0]
}

/** Stands above every tab, so that a tab alone comes without it. */
function viewOfHeader(request: FastifyRequest, card: AnyCard, record: { id: number }) {
  if (wantsFragment(request)) return {}
  const { server, actor } = request
  const { head = {}, may } = card
  const { delete: deletion } = may
  const deletes = deletion !== undefined && allows(deletion, actor, record)
  const refusal = deletes ? findRefusal(request, server.records.get(card.list)?.deletion, [record.id]) : undefined
  return {
    state: head.state?.(request, record),
    picture: head.picture?.(record),
    facts: head.facts?.(request, record),
    menuLinks: head.menu?.(request, record),
    deletion: deletes && !refusal ? url(server, `/${card.list}/delete?id=${record.id}`) : undefined,
    kept: refusal && request.t(refusal),
    neighbors: viewOfNeighbors(request, card, record.id),
  }
}

/** Where the records before and after it are read. */
function viewOfNeighbors(request: FastifyRequest, card: AnyCard, id: number) {
  const back = queryOf(request).get('back') ?? ''
  const { list } = request.server.records.get(card.list) ?? {}
  const { previous, next } = list ? neighborsOf(request, list, id, back) : {}
  const address = (of: number | undefined) =>
    of === undefined ? undefined : url(request.server, readingPath(request, card.list, of, back))
  return { previous: address(previous), next: address(next) }
}

function tabsOf(context: Context, card: AnyCard) {
  const own = [...relatedTabs(context, card), ...(card.tabs ?? [])].filter(({ isOffered }) => isOffered?.(context) ?? true)
  const history = historyTab(card)
  const first = [...(card.overview ? [overviewTab(card, card.overview)] : []), formTab]
  return [...first, ...own, ...(own.some(({ name }) => name === history.name) ? [] : [history])]
}

function overviewTab({ may }: AnyCard, overview: Required<AnyCard>['overview']): Tab<{ id: number }> {
  return { name: 'overview', label: 'Overview', rule: may.view, ...overview }
}

/** The form of a card as it is, as it was sent, or with what is in conflict; and what its page shows besides. */
function viewOfPanel(
  request: FastifyRequest,
  card: AnyCard,
  record: { id: number } | undefined,
  state: FormState,
  { entry, conflict }: Pick<Shown, 'entry' | 'conflict'>,
  isRead = false,
) {
  const readOnly = isRead || (record !== undefined && !allows(card.may.edit, request.actor, record))
  const [shown, typed] = conflict ? [withMerged(card.form, state, request.t, conflict)] : [state, entry]
  const { inputs, ...panel } = card.panel?.load(request, record, shown, typed) ?? {}
  const computed = { ...shown.computed, ...inputs?.computed }
  return {
    form: viewOfForm(card.form, { ...shown, ...inputs, computed, summarizes: true }, request.t, typed, readOnly),
    conflicts: conflict && viewOfConflicts(card.form, state, request.t, conflict),
    ...panel,
  }
}

function viewOfFrame(request: FastifyRequest, card: AnyCard, address: string) {
  const query = queryOf(request)
  return {
    list_name: card.list,
    listTitle: request.t(kindTitle(request.server, card)),
    path: `/${card.list}`,
    action: address + (query.size > 0 ? `?${query}` : ''),
    rowAddress: address,
    mayList: allows(card.may.list, request.actor),
    crops: loads(card.form, 'crops'),
    writes: loads(card.form, 'writes'),
    back: backToList(request, card.list),
  }
}

function loads({ fields }: Form, what: 'crops' | 'writes'): boolean {
  return Object.values(fields).some((field) => field && kindOf(field).input.loads === what)
}

function findLastChange({ server, t }: Context, entity: string, id: number) {
  const change = lastChangeOf(server.db).get({ entity, id })
  return change && { ...change, actor_name: actorNameFor(t, change.actor_name) }
}

const lastChangeOf = prepareOnce((db, params) =>
  db
    .select({ at: changes.at, actor_name: changes.actor_name, impersonator_name: changes.impersonator_name })
    .from(changes)
    .where(and(eq(changes.entity, params.entity), eq(changes.record_id, params.id)))
    .orderBy(desc(changes.record_version), desc(changes.id))
    .limit(1)
    .prepare(),
)

const repeaterRow = template<{ row: ReturnType<typeof viewOfEmptyRow>; sortable: boolean }>('components/repeater-row.njk')

export function showRepeaterRow<R extends CardRecord>(card: Pick<Card<R>, 'form' | 'formState'>, repeater: string) {
  return (request: FastifyRequest, reply: FastifyReply, record?: R) => {
    const formState = formStateOf(card, request, record, inputOf(request))
    const field = fieldsOf(card.form, formState).get(repeater)
    const index = queryOf(request).get('index') ?? ''
    if (!field || !isRepeater(field)) throw notFound()
    if (!/^\d{1,4}$/.test(index)) throw new HttpError(422, 'The line number is missing.')
    requireRoomForRow(Number(queryOf(request).get('rows')))
    return reply.page(repeaterRow, {
      row: viewOfEmptyRow(repeater, field, index, formState, request.t),
      sortable: field.key === 'file',
    })
  }
}

/** @throws HttpError 422 when a form has as many rows as it may have */
function requireRoomForRow(rows: number): void {
  if (rows >= rowLimit) throw new HttpError(422, tooManyLines.message, tooManyLines.params)
}
