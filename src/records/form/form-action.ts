import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Merge, mergeValues } from '../../core/merge.ts'
import { hashPassword, inOwnTurn } from '../../http/access/password-hashing.ts'
import { LimitReached } from '../../http/access/rate-limit.ts'
import type { ActionParts, Done } from '../../http/action.ts'
import { HttpError, type Problem, ValidationFailed } from '../../http/request/errors.ts'
import { type FormInput, inputOf, wantsFragment } from '../../http/request/input.ts'
import { SentOtherwise } from '../../http/submissions/idempotency.ts'
import { kindOf } from '../fields/index.ts'
import { type ChangesSince, isEarlierVersion, readChangesSince } from './changes-since.ts'
import {
  type CreateValues,
  type EditValues,
  type Entry,
  type Form,
  type FormState,
  fieldsOf,
  isValid,
  type Mode,
  type Values,
} from './form.ts'
import { readForm } from './read.ts'
import { changeRows } from './rows.ts'
import { warned } from './saved-warnings.ts'
import { readSubmittedForm, type Sent } from './sent.ts'

export interface Conflict {
  form: Form
  merge: Merge
  stored: Values
  by: ChangesSince['by']
}

interface FormSaving<F extends Form, M extends Mode, R> {
  form: F
  mode: M
  /** What was sent, where that are no inputs of a page. */
  read?: (request: FastifyRequest, form: F, mode: M) => Sent
  /** What takes long or asks others, before the transaction. */
  prepare?: (request: FastifyRequest, record: R, sent: Sent) => void | Promise<void>
  /** Called inside the transaction too, with the record as it is now. */
  state: (request: FastifyRequest, record: R, input: FormInput) => FormState
  save: (request: FastifyRequest, values: Submitted<F, M>, record: R) => Done
  /** Without it what is wrong is thrown. */
  showAgain?: (
    request: FastifyRequest,
    reply: FastifyReply,
    record: R,
    entry: Entry,
    conflict?: Conflict,
  ) => FastifyReply | Promise<FastifyReply>
  answer?: ActionParts<R>['answer']
}

/** What it prepares are the hashes of passwords. */
type Parts<R> = ActionParts<R, Values, Sent>

export type FormActionParts<R> = Required<Omit<Parts<R>, 'around' | 'answer'>> & Pick<Parts<R>, 'answer'>

/**
 * What an action that saves a form is made of: what was sent is read, merged with what others have saved meanwhile, and saved; or the form is
 * shown again, with what is wrong, and nothing typed is lost.
 */
export function formAction<F extends Form, M extends Mode, R = unknown>(action: FormSaving<F, M, R>): FormActionParts<R> {
  const { form, mode, read = readSubmittedForm, prepare, state, showAgain, answer } = action
  return {
    read: (request) => read(request, form, mode),
    async prepare(request, record, sent) {
      await prepare?.(request, record, sent)
      return hashPasswords(request, form, mode, sent)
    },
    perform: (request, record, hashes, sent) => mergeAndSave(request, action, record, hashes, sent),
    answer,
    showAgain(request, reply, record, problem, sent) {
      if (!showAgain) throw problem
      if (problem instanceof Unsaved) {
        // No field of the form could say it.
        if (problem.entry.errors.version) request.whyUnsaved = new HttpError(problem.status, unknownVersion.message)
        return showAgain(request, reply, record, problem.entry, problem.conflict)
      }
      if (!keepsTyped(request, problem)) throw problem
      request.whyUnsaved = problem
      return showAgain(request, reply, record, {
        ...readForm(form, state(request, record, inputOf(request, sent.texts)), sent),
        errors: {},
      })
    },
  }
}

/** Nothing is wrong with what was typed: a limit was met, the disk is full, the database locked. htmx leaves the form as it is anyway. */
export function keepsTyped(request: FastifyRequest, problem: HttpError): boolean {
  if (problem instanceof SentOtherwise) return true
  return !wantsFragment(request) && (problem instanceof LimitReached || problem.status >= 500)
}

/** Nothing was saved: the form is shown again, or its errors are told. */
export class Unsaved extends HttpError {
  readonly entry: Entry
  readonly conflict: Conflict | undefined
  constructor(status: number, entry: Entry, conflict?: Conflict) {
    super(status, 'Invalid request')
    this.entry = entry
    this.conflict = conflict
  }
}

function mergeAndSave<F extends Form, M extends Mode, R>(
  request: FastifyRequest,
  action: FormSaving<F, M, R>,
  record: R,
  hashes: Values,
  sent: Sent,
): Done {
  const { form } = action
  const state = action.state(request, record, inputOf(request, sent.texts))
  const { base, by } = readChangesSince(request.server.db, form, state, sent.version)
  const entry = readForm(form, { ...state, stored: base }, sent)
  requireComplete(form, state, entry, sent)
  const merge = mergeEntry(form, state, base, withHashes(entry.values, hashes))
  if (merge.conflicts.length > 0) throw new Unsaved(409, entry, { form, merge, stored: state.stored, by })
  if (typeof sent.texts.get('_preview') === 'string') throw new Unsaved(200, { ...entry, preview: merge.values })
  // The one place where what the fields have read gets the type that their declaration promises.
  const done = withErrorsAtFields(entry, () => action.save(request, merge.values as Submitted<F, M>, record))
  return warned(request, form, state, merge, done)
}

/** @throws Unsaved where something is missing or wrong, or a button only changed the form */
function requireComplete(form: Form, state: FormState, entry: Entry, { texts, version }: Sent): void {
  if (state.mode === 'edit' && form.table && version !== undefined && !isEarlierVersion(version, state.stored.version))
    throw new Unsaved(422, { ...entry, version: undefined, errors: { ...entry.errors, version: unknownVersion } })
  const errors = changeRows(entry, form, texts)
  if (errors) throw new Unsaved(200, { ...entry, errors })
  if (isValid(entry)) return
  const others = sentPlaces(state.findProblems?.(entry) ?? {}, entry)
  throw new Unsaved(statusOf(entry), { ...entry, errors: { ...others, ...entry.errors } })
}

export const unknownVersion = { message: 'There is no such version. Reload the page and try again.' }

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

function withErrorsAtFields<T>(entry: Entry, save: () => T): T {
  try {
    return save()
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error
    throw new Unsaved(error.status, { ...entry, errors: sentPlaces(error.errors, entry) })
  }
}

/** Errors name rows by their place among the values; forms by the index that was sent. Where no row is filled, the first one is meant. */
function sentPlaces(errors: Record<string, Problem>, { values, rows }: Entry): Record<string, Problem> {
  const named = Object.entries(errors).map(([id, problem]) => {
    const [name = '', place, part] = id.split('.')
    if (!part) return [id, problem] as const
    const sent = rows[name] ?? []
    const filled = sent.filter(({ blank }) => !blank)
    const unsent = ((values[name] ?? []) as unknown[]).length - filled.length
    const row = filled.length > 0 ? filled[Number(place) - unsent] : sent[0]
    return [row ? `${name}.${row.index}.${part}` : name, problem] as const
  })
  return Object.fromEntries(named)
}

/** Passwords are hashed before the transaction, which must not wait for it. */
async function hashPasswords(request: FastifyRequest, form: Form, mode: Mode, sent: Sent): Promise<Values> {
  const hashes: Values = {}
  for (const [name, field] of fieldsOf(form, { mode })) {
    if (!kindOf(field).hashed) continue
    const password = sent.said(name, field)?.value
    if (typeof password === 'string') hashes[name] = await inOwnTurn(request, () => hashPassword(password))
  }
  return hashes
}

type Submitted<F extends Form, M extends Mode> = M extends 'create' ? CreateValues<F> : EditValues<F>
