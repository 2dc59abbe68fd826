import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Merge, mergeValues } from '../../core/merge.ts'
import type { RecordTable } from '../../database/records.ts'
import { HttpError, wantsFragment } from '../http.ts'
import { parseId } from '../policy.ts'
import { troubled } from '../trouble.ts'
import { isAvatar } from '../uploads/avatar.ts'
import { isGalleryPicture } from '../uploads/gallery.ts'
import { hasUploaded } from '../uploads/named.ts'
import { bodyOf } from './body.ts'
import type { Field } from './fields.ts'
import { type Entry, type Form, type FormPage, fieldsOf, isValid, type Values } from './form.ts'
import { alreadyDone, rememberDone } from './once.ts'
import { hashPasswords } from './passwords.ts'
import { readForm, type Sent } from './read.ts'
import { changeRows } from './rows.ts'
import { type Since, since } from './versions.ts'

/** Input that only the writing transaction can judge, by field; thrown inside it, so that nothing is saved. */
export class Invalid extends HttpError {
  readonly errors: Record<string, string>
  constructor(errors: Record<string, string>) {
    super(422, Object.values(errors)[0] ?? 'The request could not be understood.')
    this.errors = errors
  }
}

/** Fields that both this person and somebody else changed: both versions, for the page that asks. */
export interface Clash {
  merge: Merge
  present: Values
  by: Since['by']
}

export interface Saved {
  location: string
  /** Fields that others had changed meanwhile and that were kept. */
  kept: string[]
}

interface Submission {
  form: Form
  mode: FormPage['mode']
  /** What the form means now, outside of any transaction. */
  page: () => FormPage
  /** Opens the transaction on the record as it is now, if there is one. */
  transaction: (work: (page: FormPage) => Saved) => Saved
  /** Saves the values, inside the transaction, and returns where to go on; may throw `Invalid`. */
  save: (values: Values) => string
  /** Whether `_preview` shows the form again with what saving would change. */
  previews?: boolean
  /** The table whose change history tells what others did meanwhile. */
  table?: RecordTable
  /** Called after the transaction, before going on. */
  saved: (saved: Saved) => void
  /** Shows the form again with what was typed and what is wrong. */
  again: (entry: Entry, clash?: Clash) => FastifyReply
}

/**
 * The course of every form: read, merge with what others saved, save, go on; or the same form again, nothing saved and
 * nothing typed lost: 422 for invalid input, 409 for a clash, 200 for a button that only changes the form and a preview.
 */
export async function submit(request: FastifyRequest, reply: FastifyReply, submission: Submission): Promise<FastifyReply> {
  const sent = sentBy(request)
  const hashes = await hashPasswords(submission.form, submission.mode, sent.body)
  try {
    const saved = submission.transaction((page) => saveOnce(request, submission, page, sent, hashes))
    submission.saved(saved)
    return reply.redirect(saved.location, 303)
  } catch (error) {
    if (!(error instanceof Again)) return showUnsaved(request, reply, submission, sent, error)
    reply.code(error.status)
    return submission.again(error.entry, error.clash)
  }
}

/** A disk that is full, or a database that somebody holds, costs nobody what they typed; htmx leaves the form as it is anyway. */
function showUnsaved(request: FastifyRequest, reply: FastifyReply, { form, page, again }: Submission, sent: Sent, error: unknown) {
  request.trouble = wantsFragment(request) ? null : (troubled(reply, error) ?? null)
  if (!request.trouble) throw error
  request.log.error({ err: error }, 'could not be saved')
  reply.code(request.trouble.status)
  return again({ ...readForm(form, page(), sent), errors: {} })
}

/** The way out of the transaction back to the form. */
class Again extends Error {
  readonly status: number
  readonly entry: Entry
  readonly clash: Clash | undefined
  constructor(status: number, entry: Entry, clash?: Clash) {
    super('show the form again')
    this.status = status
    this.entry = entry
    this.clash = clash
  }
}

function saveOnce(request: FastifyRequest, submission: Submission, page: FormPage, sent: Sent, hashes: Values): Saved {
  const done = alreadyDone(request, sent.body)
  if (done) return { location: done, kept: [] }
  const { table } = submission
  const { base, by } = table ? since(request.server.db, table, page.present, sent.version) : { base: page.present, by: {} }
  const entry = readForm(submission.form, { ...page, present: base }, sent)
  if (changeRows(entry, submission.form, sent.body)) throw new Again(200, { ...entry, errors: {} })
  if (!isValid(entry)) throw new Again(statusOf(entry), entry)
  const merge = mergeEntry(submission.form, page, base, hashed(entry.values, hashes))
  if (merge.clashes.length > 0) throw new Again(409, entry, { merge, present: page.present, by })
  if (submission.previews && sent.body.has('_preview')) throw new Again(200, { ...entry, preview: merge.values })
  const location = saveOrAgain(submission, merge.values, entry)
  rememberDone(request, sent.body, location)
  return { location, kept: merge.kept }
}

/** The status that the problems of an entry ask for. */
export function statusOf({ errors }: Entry): number {
  return Object.values(errors).find((problem) => problem.status)?.status ?? 422
}

/** The hash in place of each password that was really read: a hidden or locked one was not. */
function hashed(values: Values, hashes: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hashes[name] ?? value]))
}

function mergeEntry(form: Form, page: FormPage, base: Values, mine: Values): Merge {
  if (page.mode === 'create') return { values: mine, clashes: [], kept: [] }
  const fields = fieldsOf(form, page)
  const pick = (values: Values) => Object.fromEntries([...fields.keys()].map((name) => [name, values[name]]))
  const keys = Object.fromEntries([...fields].flatMap(([name, field]) => (field.key ? [[name, field.key]] : [])))
  return mergeValues(pick(base), mine, pick(page.present), keys)
}

function saveOrAgain(submission: Submission, values: Values, entry: Entry): string {
  try {
    return submission.save(values)
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    const errors = Object.fromEntries(Object.entries(error.errors).map(([name, message]) => [name, { message }]))
    throw new Again(422, { ...entry, errors })
  }
}

/** Everything the form of a request says. */
export function sentBy(request: FastifyRequest): Sent {
  const body = bodyOf(request)
  return {
    body,
    version: parseId(body.get('version')),
    uploadErrors: request.uploadErrors,
    uploaded: (key, kind) => hasUploaded(request.server.db, key, request.actor.id) && isOfKind(request, key, kind),
  }
}

/** A picture is one that was made for fields like this. */
function isOfKind({ server }: FastifyRequest, key: string, kind: Field['kind']): boolean {
  if (kind === 'image') return isAvatar(server.config.dataDir, key)
  return kind !== 'images' || isGalleryPicture(server.config.dataDir, key)
}
