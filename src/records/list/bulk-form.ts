import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ignoringScope } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { authorize } from '../../http/access/authorize.ts'
import { requireRecentPassword } from '../../http/access/recent-password.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bodyOf, queryOf } from '../../http/request/input.ts'
import type { Template } from '../../http/request/template.ts'
import { findReport, type Result } from '../../http/submissions/idempotency.ts'
import type { Translate } from '../../i18n/translate.ts'
import { type Entry, type Form, type FormState, fieldsOf, isValid } from '../form/form.ts'
import { Unsaved } from '../form/form-action.ts'
import { readForm } from '../form/read.ts'
import { readSubmittedForm } from '../form/sent.ts'
import { viewOfForm } from '../form/view.ts'
import { named } from '../jobs/attempt-all.ts'
import type { JobKind } from '../jobs/job.ts'
import { type BulkResult, changeEach, changeMany, sendBulkReport } from './bulk-change.ts'
import type { AnyList } from './list.ts'
import { type Authorization, hasChanged, selectedRecords, selectionFields } from './selection.ts'
import { listAddress } from './state.ts'
import { pagesPath } from './view.ts'

/** A form that says what is to be changed in each of the selected records of a list. */
interface BulkForm<R extends { id: number }, Change> extends Authorization<R> {
  list: AnyList
  /** The address of the form, such as `/dealers/change`, and what leads to it from ticked rows. */
  path: string
  label: string
  icon: string
  form: Form
  formState(request: FastifyRequest): FormState
  labelOf(record: R, t: Translate): string
  /** What is to be changed; undefined where the form says nothing. */
  read(values: Entry['values']): Change | undefined
  /** Whether it takes a password given lately. */
  isSensitive?: true
  /** Says that the form says nothing. */
  missing: string
  /** What is missing for these records, by field. */
  problems?(context: Context, selected: R[], values: Entry['values']): Entry['errors']
  change(context: Context, id: number, change: Change): void
  /** Headings with the parameter `count`. */
  title: string
  done: string
  refused: string
  /** Where what it leaves for whoever has changed them can be downloaded. */
  download?(context: Context): string | undefined
}

/** What the page of every such form shows. */
export interface BulkFormView {
  title: string
  names: string[]
  /** How many are not among these. */
  unnamed: number
  action: string
  back: string
  fields: [name: string, value: string][]
  form: ReturnType<typeof viewOfForm>
  notice?: string
}

/** What the page shows besides, of the selected records and, once it is asked for, what would be changed. */
type Details<R, Change, View> = (context: Context, selected: R[], change?: Change) => Omit<View, keyof BulkFormView>

interface Answer<Change> {
  entry?: Entry
  change?: Change
  notice?: string
}

declare module 'fastify' {
  interface Registry {
    /** Such forms by their paths. */
    bulkForms: Map<string, AnyBulkForm>
  }
}

// biome-ignore lint/suspicious/noExplicitAny: records and changes of every kind
type AnyBulkForm = BulkForm<any, any>

/**
 * The routes of such a form. Sent with `_find` or `_preview` it is shown again, and nothing is changed.
 * A selection that has changed since is 409, a form that is invalid or says nothing 422.
 */
export function bulkFormRoutes<R extends { id: number }, Change, View extends BulkFormView>(
  app: FastifyInstance,
  bulk: BulkForm<R, Change>,
  view: Template<View>,
  details: Details<R, Change, View>,
) {
  const access = ignoringScope(bulk.rule)
  const { list, path, label, icon } = bulk
  app.registry.bulkActions.push({ list: list.name, path, label, icon, rule: access })
  app.registry.bulkForms.set(bulk.path, bulk)
  app.registry.jobKinds.set('change', changeJob)
  app.get(bulk.path, { access }, (request, reply) => {
    const report = findReport(request)
    return report ? sendReport(request, reply, bulk, report) : show(request, reply, queryOf(request))
  })
  const answer = (request: FastifyRequest, reply: FastifyReply, _: unknown, { report }: Result) =>
    report ? sendReport(request, reply, bulk, report) : undefined
  app.post(bulk.path, action({ access }, { prepare: readChange, perform: changeSelected, answer, showAgain }))

  async function show(request: FastifyRequest, reply: FastifyReply, source: URLSearchParams, shown: Answer<Change> = {}) {
    const selected = await selectedRecords(request, bulk.list, source, bulk)
    const page = { ...viewOfBulkForm(request, bulk, source, selected, shown), ...details(request, selected, shown.change) }
    return reply.page(view, page as View)
  }

  function showAgain(request: FastifyRequest, reply: FastifyReply, _: unknown, problem: HttpError) {
    const body = bodyOf(request)
    if (!(problem instanceof Unsaved)) {
      const notice = request.whyUnsaved ? undefined : problem.message
      return show(request, reply, body, { entry: readEntry(request), notice })
    }
    const { entry, status } = problem
    return show(request, reply, body, { entry, change: status === 200 && body.has('_preview') ? bulk.read(entry.values) : undefined })
  }

  /** @throws Unsaved, with 200 where the form is only to be looked at; HttpError */
  async function readChange(request: FastifyRequest) {
    const body = bodyOf(request)
    const selected = await selectedRecords(request, bulk.list, body, bulk)
    const entry = readEntry(request)
    if (body.has('_find')) throw new Unsaved(200, entry)
    if (bulk.isSensitive) requireRecentPassword(request)
    if (hasChanged(body, idsOf(selected))) throw new HttpError(409, 'The list has changed. Review it and try again.')
    if (!isValid(entry)) throw new Unsaved(422, entry)
    const change = bulk.read(entry.values)
    if (change === undefined) throw new HttpError(422, bulk.missing)
    const checked = { ...entry, errors: bulk.problems?.(request, selected, entry.values) ?? {} }
    if (!isValid(checked)) throw new Unsaved(422, checked)
    if (body.has('_preview')) throw new Unsaved(200, entry)
    return { selected, change }
  }

  function changeSelected(request: FastifyRequest, _: unknown, { selected, change }: { selected: R[]; change: Change }) {
    const back = listAddress(request, bulk.list, bodyOf(request))
    const payload: ManyChanged = { path: bulk.path, ids: idsOf(selected), change, back }
    return changeMany(request, selected, {
      change: (context, id) => bulk.change(context, id, change),
      labelOf: (record) => bulk.labelOf(record, request.t),
      job: { kind: 'change', list: bulk.list.name, payload },
    })
  }

  function readEntry(request: FastifyRequest): Entry {
    return readForm(bulk.form, bulk.formState(request), readSubmittedForm(request))
  }
}

const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)

interface ManyChanged {
  path: string
  ids: number[]
  change: unknown
  back: string
}

const changeJob: JobKind<ManyChanged> = {
  perform(context, { payload, done }, size) {
    const bulk = context.server.registry.bulkForms.get(payload.path) as AnyBulkForm
    authorize(ignoringScope(bulk.rule), context.actor)
    const ids = payload.ids.slice(done, done + size)
    const refused = changeEach(context, ids, { change: (context, id) => bulk.change(context, id, payload.change) })
    return { done: ids.length, skipped: named(context, bulk.list.table, refused) }
  },
  links(context, { payload }) {
    const { server } = context
    const bulk = server.registry.bulkForms.get(payload.path)
    return { back: payload.back, card: bulk && pagesPath(context, bulk.list), file: bulk?.download?.(context) }
  },
}

function viewOfBulkForm<R extends { id: number }, Change>(
  request: FastifyRequest,
  bulk: BulkForm<R, Change>,
  source: URLSearchParams,
  selected: R[],
  { entry, notice }: Answer<Change>,
): BulkFormView {
  const { t, server, language } = request
  const state = bulk.formState(request)
  const [focus] = fieldsOf(bulk.form, state).keys()
  return {
    title: t(bulk.title, { count: selected.length }),
    names: selected.slice(0, 10).map((record) => recordLabelFor(language, bulk.list.name, bulk.labelOf(record, t))),
    unnamed: selected.length - 10,
    action: url(server, bulk.path),
    back: listAddress(request, bulk.list, source),
    fields: selectionFields(request, bulk.list, source, idsOf(selected)),
    form: viewOfForm(bulk.form, { ...state, focus }, t, entry),
    notice: notice && t(notice),
  }
}

function sendReport<R extends { id: number }, Change>(
  request: FastifyRequest,
  reply: FastifyReply,
  bulk: BulkForm<R, Change>,
  results: BulkResult[],
) {
  const { t } = request
  return sendBulkReport(reply, results, {
    titleOf: (count) => t(bulk.done, { count }),
    refusedOf: (count) => t(bulk.refused, { count }),
    card: pagesPath(request, bulk.list),
    download: bulk.download?.(request),
    back: listAddress(request, bulk.list, bodyOf(request)),
  })
}
