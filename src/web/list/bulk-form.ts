import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ignoringScope } from '../../core/access.ts'
import type { Translate } from '../../i18n/translate.ts'
import { authorize } from '../access/policy-hook.ts'
import { url } from '../addresses.ts'
import type { Context } from '../context.ts'
import type { Entry, Form, FormState } from '../form/form.ts'
import { readForm } from '../form/read.ts'
import { readSubmittedForm } from '../form/submit.ts'
import { viewOfForm } from '../form/view.ts'
import { bodyOf, queryOf } from '../input.ts'
import { named } from '../jobs/attempt-all.ts'
import type { JobKind } from '../jobs/job.ts'
import { findReport, findSubmission, SentOtherwise } from '../submissions/idempotency.ts'
import type { Template } from '../view/template.ts'
import { type BulkResult, changeEach, changeMany, sendBulkReport } from './bulk-change.ts'
import { type Authorization, hasChanged, selectedRecords, selectionFields } from './selection.ts'
import { type AnyList, readState, stateQuery } from './state.ts'

/** A form that says what is to be changed in each of the selected records of a list. */
export interface BulkForm<R extends { id: number }, Change> extends Authorization<R> {
  list: AnyList
  /** The address of the form, such as `/dealers/change`. */
  path: string
  form: Form
  formState(request: FastifyRequest): FormState
  labelOf(record: R, t: Translate): string
  /** What is to be changed; undefined where the form says nothing. */
  read(values: Entry['values']): Change | undefined
  /** Says that the form says nothing. */
  missing: string
  /** What is missing for these records, by field. */
  problems?(context: Context, selected: R[], values: Entry['values']): Entry['errors']
  change(context: Context, id: number, change: Change): void
  /** Headings with the parameter `count`. */
  title: string
  done: string
  refused: string
  card: string
}

/** What the page of every such form shows. */
export interface BulkFormView {
  title: string
  names: string[]
  more: number
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
  interface FastifyInstance {
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
  const show = async (request: FastifyRequest, reply: FastifyReply, source: URLSearchParams, status = 200, answer: Answer<Change> = {}) => {
    const selected = await selectedRecords(request, bulk.list, source, bulk)
    const shown = { ...viewOfBulkForm(request, bulk, source, selected, answer), ...details(request, selected, answer.change) }
    return reply.code(status).page(view, shown as View)
  }
  const readEntry = (request: FastifyRequest) => readForm(bulk.form, bulk.formState(request), readSubmittedForm(request))
  const perform = async (request: FastifyRequest, reply: FastifyReply) => {
    const body = bodyOf(request)
    const again = (status: number, answer: Answer<Change>) => show(request, reply, body, status, answer)
    const earlier = findSubmission(request, body)
    if (earlier) return earlier.report ? sendReport(request, reply, bulk, earlier.report) : reply.redirect(earlier.location, 303)
    const selected = await selectedRecords(request, bulk.list, body, bulk)
    const entry = readEntry(request)
    if (body.has('_find')) return again(200, { entry })
    const ids = selected.map(({ id }) => id)
    if (hasChanged(body, ids)) return again(409, { entry, notice: 'The list has changed. Review it and try again.' })
    if (Object.keys(entry.errors).length > 0) return again(422, { entry })
    const change = bulk.read(entry.values)
    if (change === undefined) return again(422, { entry, notice: bulk.missing })
    const problems = bulk.problems?.(request, selected, entry.values) ?? {}
    if (Object.keys(problems).length > 0) return again(422, { entry: { ...entry, errors: problems } })
    if (body.has('_preview')) return again(200, { entry, change })
    const payload: ManyChanged = { path: bulk.path, ids, change, back: listAddress(request, bulk.list, body) }
    const { location, report } = changeMany(request, body, selected, {
      change: (context, id) => bulk.change(context, id, change),
      labelOf: (record) => bulk.labelOf(record, request.t),
      job: { kind: 'change', list: bulk.list.name, payload },
    })
    return report ? sendReport(request, reply, bulk, report) : reply.redirect(location, 303)
  }
  const access = ignoringScope(bulk.rule)
  app.bulkForms.set(bulk.path, bulk)
  app.jobKinds.set('change', changeJob)
  app.get(bulk.path, { access }, (request, reply) => {
    const report = findReport(request)
    return report ? sendReport(request, reply, bulk, report) : show(request, reply, queryOf(request))
  })
  app.post(bulk.path, { access }, (request, reply) =>
    perform(request, reply).catch((error) => {
      if (!(error instanceof SentOtherwise)) throw error
      return show(request, reply, bodyOf(request), error.status, { entry: readEntry(request) })
    }),
  )
}

interface ManyChanged {
  path: string
  ids: number[]
  change: unknown
  back: string
}

const changeJob: JobKind<ManyChanged> = {
  perform(context, { payload, done }, size) {
    const bulk = context.server.bulkForms.get(payload.path) as AnyBulkForm
    authorize(ignoringScope(bulk.rule), context.actor)
    const ids = payload.ids.slice(done, done + size)
    const refused = changeEach(context, ids, { change: (context, id) => bulk.change(context, id, payload.change) })
    return { done: ids.length, skipped: named(context, bulk.list.table, refused) }
  },
  links: ({ server }, { payload }) => ({ back: payload.back, card: url(server, server.bulkForms.get(payload.path)?.card ?? '') }),
}

function viewOfBulkForm<R extends { id: number }, Change>(
  request: FastifyRequest,
  bulk: BulkForm<R, Change>,
  source: URLSearchParams,
  selected: R[],
  { entry, notice }: Answer<Change>,
): BulkFormView {
  const { t, server } = request
  const ids = selected.map(({ id }) => id)
  return {
    title: t(bulk.title, { count: selected.length }),
    names: selected.slice(0, 10).map((record) => bulk.labelOf(record, t)),
    more: selected.length - 10,
    action: url(server, bulk.path),
    back: listAddress(request, bulk.list, source),
    fields: selectionFields(request, bulk.list, source, ids),
    form: viewOfForm(bulk.form, bulk.formState(request), t, entry),
    notice: notice && t(notice),
  }
}

function sendReport<R extends { id: number }, Change>(
  request: FastifyRequest,
  reply: FastifyReply,
  bulk: BulkForm<R, Change>,
  results: BulkResult[],
) {
  const { t, server } = request
  return sendBulkReport(reply, results, {
    titleOf: (count) => t(bulk.done, { count }),
    refusedOf: (count) => t(bulk.refused, { count }),
    card: url(server, bulk.card),
    back: listAddress(request, bulk.list, bodyOf(request)),
  })
}

function listAddress({ server, actor }: Context, list: AnyList, source: URLSearchParams): string {
  return url(server, `/${list.name}${stateQuery(list, readState(list, source, actor))}`)
}
