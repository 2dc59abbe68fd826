import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Merge, mergeValues } from '../../core/merge.ts'
import type { RecordTable } from '../../database/index.ts'
import { performOnce } from '../action.ts'
import type { Context } from '../context.ts'
import { HttpError, type Problem } from '../errors.ts'
import { flash } from '../flash.ts'
import { bodyOf, parseId, wantsFragment } from '../input.ts'
import { toHttpError } from '../operations/storage-errors.ts'
import { SentOtherwise } from '../submissions/idempotency.ts'
import { isPicture } from '../uploads/folder.ts'
import { hasUploaded } from '../uploads/uploaded.ts'
import { type ChangesSince, readChangesSince } from './changes-since.ts'
import {
  type Entry,
  type Field,
  type Form,
  type FormState,
  fieldsOf,
  isValid,
  kindOf,
  type Mode,
  type Submitted,
  type Values,
} from './form.ts'
import { hashPasswords, readForm } from './read.ts'
import { changeRows } from './rows.ts'
import { type Sent, sentInputs } from './sent.ts'

/** Errors by field that only the writing transaction can find; thrown inside it, so that it rolls back. */
export class ValidationFailed extends HttpError {
  readonly errors: Record<string, Problem>
  constructor(errors: Record<string, string | Problem>) {
    const problems = Object.entries(errors).map(
      ([name, problem]) => [name, typeof problem === 'string' ? { message: problem } : problem] as const,
    )
    const [first] = problems.map(([, problem]) => problem)
    super(first?.status ?? 422, first?.message ?? 'Invalid request', first?.params)
    this.errors = Object.fromEntries(problems)
  }
}

export interface Conflict {
  merge: Merge
  stored: Values
  by: ChangesSince['by']
}

export interface Saved {
  location: string
  /** Of the record that was saved; nothing where what is saved is none. */
  id?: number
  /** The same was sent before: now nothing was saved. */
  repeated: boolean
  othersFields: string[]
}

// biome-ignore lint/suspicious/noConfusingVoidType: some forms save what is no record
type Result = { id: number } | void

/** What saves a form, without what shows it again. */
export interface Saving<F extends Form, M extends Mode, R, S extends Result = Result> {
  form: F
  mode: M
  /** What the form edits, as the handler got it. */
  record: R
  /** Called inside the transaction too, with the record reloaded and access checked once more. */
  state: (record: R) => FormState
  save: (values: Submitted<F, M>, record: R) => S
  /** Where that leads: kept with the key, so that a repetition leads there too. */
  location: (saved: S, record: R) => string
  table?: RecordTable
}

interface Submission<F extends Form, M extends Mode, R, S extends Result> extends Saving<F, M, R, S> {
  saved?: (saved: Saved) => void
  rerender: (entry: Entry, conflict?: Conflict) => FastifyReply
}

export async function submit<F extends Form, M extends Mode, R, S extends Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  submission: Submission<F, M, R, S>,
) {
  const sent = readSubmittedForm(request)
  try {
    const saved = await saveForm(request, submission, sent)
    submission.saved?.(saved)
    return reply.redirect(saved.location, 303)
  } catch (error) {
    if (!(error instanceof Unsaved)) return rerenderUnsaved(request, reply, submission, sent, error)
    reply.code(error.status)
    // No field of the form could say it.
    if (error.entry.errors.version) request.whyUnsaved = new HttpError(error.status, unknownVersion.message)
    return submission.rerender(error.entry, error.conflict)
  }
}

/**
 * Saves what a body says, merged with what others have saved meanwhile; with a key that was used before, it only says where that led.
 * @throws Unsaved when values are not valid, or others have changed the same ones
 */
export async function saveForm<F extends Form, M extends Mode, R, S extends Result>(
  request: FastifyRequest,
  saving: Saving<F, M, R, S>,
  sent = readSubmittedForm(request),
): Promise<Saved> {
  const hashes = await hashPasswords(saving.form, saving.mode, sent)
  const work = (record: R) => mergeAndSave(request, { ...saving, record }, sent, hashes)
  const done = performOnce(request, saving.record, work, sent.texts)
  const othersFields = 'othersFields' in done ? done.othersFields : undefined
  return { location: done.location, id: done.record_id ?? undefined, repeated: !othersFields, othersFields: othersFields ?? [] }
}

/** Keeps what was typed when a limit is met, the disk is full or the database locked; htmx leaves the form as it is anyway. */
function rerenderUnsaved<F extends Form, M extends Mode, R, S extends Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  { form, record, state, rerender }: Submission<F, M, R, S>,
  sent: Sent,
  error: unknown,
) {
  if (!(error instanceof SentOtherwise)) request.whyUnsaved = wantsFragment(request) ? null : (toHttpError(reply, error) ?? null)
  if (!request.whyUnsaved) throw error
  if (request.whyUnsaved.status >= 500) request.log.error({ err: error }, 'could not be saved')
  reply.code(request.whyUnsaved.status)
  return rerender({ ...readForm(form, state(record), sent), errors: {} })
}

/** Nothing was saved: the form is shown again, or its errors are told. */
export class Unsaved extends Error {
  readonly status: number
  readonly entry: Entry
  readonly conflict: Conflict | undefined
  constructor(status: number, entry: Entry, conflict?: Conflict) {
    super('show the form again')
    this.status = status
    this.entry = entry
    this.conflict = conflict
  }
}

function mergeAndSave<F extends Form, M extends Mode, R, S extends Result>(
  context: Context,
  submission: Saving<F, M, R, S>,
  sent: Sent,
  hashes: Values,
): { location: string; record_id?: number; othersFields: string[] } {
  const { table } = submission
  const state = submission.state(submission.record)
  const existed = !table || sent.version === undefined || isEarlierVersion(sent.version, state.stored.version)
  const { base, by } =
    existed && table ? readChangesSince(context.server.db, table, state.stored, sent.version) : { base: state.stored, by: {} }
  const entry = readForm(submission.form, { ...state, stored: base }, sent)
  if (!existed) throw new Unsaved(422, { ...entry, version: undefined, errors: { ...entry.errors, version: unknownVersion } })
  const errors = changeRows(entry, submission.form, sent.texts)
  if (errors) throw new Unsaved(200, { ...entry, errors })
  if (!isValid(entry)) throw new Unsaved(statusOf(entry), entry)
  const merge = mergeEntry(submission.form, state, base, withHashes(entry.values, hashes))
  if (merge.conflicts.length > 0) throw new Unsaved(409, entry, { merge, stored: state.stored, by })
  if (typeof sent.texts.get('_preview') === 'string') throw new Unsaved(200, { ...entry, preview: merge.values })
  const saved = saveOrRerender(submission, merge.values, entry)
  return { location: submission.location(saved, submission.record), record_id: saved?.id, othersFields: merge.othersFields }
}

export const unknownVersion = { message: 'There is no such version. Reload the page and try again.' }

/** Whether a record that is at `stored` has been at `version`; one that never was would be taken for the newest. */
export function isEarlierVersion(version: unknown, stored: unknown): boolean {
  return Number.isSafeInteger(version) && Number(version) >= 1 && Number(version) <= Number(stored)
}

export function statusOf({ errors }: Entry): number {
  return Object.values(errors).find((problem) => problem.status)?.status ?? 422
}

function withHashes(values: Values, hashes: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hashes[name] ?? value]))
}

function mergeEntry(form: Form, state: FormState, base: Values, mine: Values): Merge {
  if (state.mode === 'create') return { values: mine, conflicts: [], othersFields: [] }
  const fields = fieldsOf(form, state)
  const pick = (values: Values) => Object.fromEntries([...fields.keys()].map((name) => [name, values[name]]))
  return mergeValues(pick(base), mine, pick(state.stored))
}

function saveOrRerender<F extends Form, M extends Mode, R, S extends Result>(
  { save, record }: Saving<F, M, R, S>,
  values: Values,
  entry: Entry,
): S {
  try {
    // The one place where what the fields have read gets the type that their declaration promises.
    return save(values as Submitted<F, M>, record)
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error
    throw new Unsaved(error.status, { ...entry, errors: sentPlaces(error.errors, entry) })
  }
}

/** Errors name rows by their place among the values; forms by the index that was sent. */
function sentPlaces(errors: Record<string, Problem>, { values, rows }: Entry): Record<string, Problem> {
  const named = Object.entries(errors).map(([id, problem]) => {
    const [name = '', place, part] = id.split('.')
    const filled = rows[name]?.filter(({ blank }) => !blank) ?? []
    const unsent = ((values[name] ?? []) as unknown[]).length - filled.length
    const index = filled[Number(place) - unsent]?.index
    return [part && index !== undefined ? `${name}.${index}.${part}` : id, problem] as const
  })
  return Object.fromEntries(named)
}

export function readSubmittedForm(request: FastifyRequest): Sent {
  return submittedForm(request, bodyOf(request), request.uploadErrors)
}

export function submittedForm(context: Context, body: URLSearchParams, uploadErrors: FastifyRequest['uploadErrors'] = {}): Sent {
  return sentInputs({
    body,
    version: body.get('version') ? (parseId(body.get('version')) ?? Number.NaN) : undefined,
    uploadErrors,
    uploaded: (key, field) => hasUploadedFor(context, key, field),
  })
}

/** Whether somebody has uploaded this for a field of that kind. */
export function hasUploadedFor({ server, actor }: Context, key: string, field: Field): boolean {
  const place = kindOf(field).file?.of ?? 'files'
  return hasUploaded(server.db, key, actor.id) && (place === 'files' || isPicture(server.config.dataDir, place, key))
}

export function flashSaved(request: FastifyRequest, form: Form, { othersFields }: Saved, name: string): void {
  const fields = fieldsOf(form, { mode: 'edit' })
  const labels = othersFields.map((name) => request.t(fields.get(name)?.label ?? name)).join(', ')
  if (othersFields.length === 0) flash(request, '{name} saved', { name })
  else flash(request, '{name} saved. Someone else also updated: {fields}. Both sets of changes were kept.', { name, fields: labels })
}
