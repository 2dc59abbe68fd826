import { and, count, desc, eq, gt, isNull } from 'drizzle-orm'
import { allOf, allows, anyOf, group, has, ignoringScope, inOwnName, isGroup, type Rule } from '../../../core/access.ts'
import { ofPrices } from '../../../core/prices.ts'
import { namesFile } from '../../../database/file-columns.ts'
import { cachedUntilWrite, type Database, orderDrafts, prepareOnce } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { type FormInput, parseId } from '../../../http/request/input.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import { uploadedName } from '../../../http/uploads/uploaded.ts'
import type { AttachmentSource } from '../../../records/attachments.ts'
import { inputsOfRows } from '../../../records/form/inputs.ts'
import { draftsOpenedSince } from '../../../records/housekeeping.ts'
import { productAccess as productMay } from '../../products/access.ts'
import { orderAccess } from '../access.ts'

/** A form of a new order that is kept while it is written. It is no order: only its person finds it. */
export type Draft = typeof orderDrafts.$inferSelect

/** Whoever acts as somebody else neither finds nor makes drafts. */
export const mayDraft = allOf(ignoringScope(orderAccess.add) as Rule, anyOf(inOwnName))

/** Shows a draft to a customer. */
export const mayOfferDraft = allOf(mayDraft, anyOf(isGroup(group.dealer)), anyOf(has(ofPrices.needs)))

/** Puts products of the catalog into drafts. */
export const mayAddProducts: Rule = allOf(mayDraft, ignoringScope(productMay.list) as Rule)

/** `size` in characters, of names and values. */
const draftLimits = { count: 20, size: 500_000 }

export const findDraft: FindRecord<Draft> = (db, id, actor) => {
  const own = actor && !actor.impersonator ? eq(orderDrafts.user_id, actor.id) : undefined
  const found =
    own &&
    db
      .select()
      .from(orderDrafts)
      .where(and(eq(orderDrafts.id, id), own, isNull(orderDrafts.order_id), gt(orderDrafts.opened_at, draftsOpenedSince())))
  return found?.get()
}

/** The draft of this person that a form continues, by its field or its address. */
export function namedDraft(context: Context, { texts, query }: FormInput): Draft | undefined {
  return ownDraft(context, parseId(texts.get('draft') ?? query.get('draft')))
}

export function ownDraft({ server, actor }: Context, id: number | undefined): Draft | undefined {
  const draft = id ? findDraft(server.db, id, actor) : undefined
  return draft?.deleted_at === null ? draft : undefined
}

/** The order that a draft of this person became. */
export function orderOfDraft({ server: { db }, actor }: Context, id: number | undefined): number | undefined {
  if (!id || actor.impersonator) return undefined
  const own = and(eq(orderDrafts.id, id), eq(orderDrafts.user_id, actor.id))
  return db.select({ order: orderDrafts.order_id }).from(orderDrafts).where(own).get()?.order ?? undefined
}

/** What was typed and the files are the order's from now on. Call it inside `write`. */
export function endDraft(db: Database, { id }: Draft, order_id: number): void {
  db.update(orderDrafts).set({ order_id, fields: [], files: null, deleted_at: Date.now() }).where(eq(orderDrafts.id, id)).run()
}

export function draftsOf(db: Database, userId: number): Draft[] {
  return db.select().from(orderDrafts).where(isOpen(userId)).orderBy(desc(orderDrafts.opened_at), desc(orderDrafts.id)).all()
}

const isOpen = (userId: number) =>
  and(eq(orderDrafts.user_id, userId), isNull(orderDrafts.deleted_at), gt(orderDrafts.opened_at, draftsOpenedSince()))

export function countOwnDrafts({ server: { db }, actor }: Context): number {
  return allows(mayDraft, actor) ? cachedUntilWrite(db, `drafts of ${actor.id}`, () => countDrafts(db, actor.id)) : 0
}

function countDrafts(db: Database, userId: number): number {
  return db.select({ drafts: count() }).from(orderDrafts).where(isOpen(userId)).get()?.drafts ?? 0
}

/**
 * Keeps the fields of a form, in place of those of a draft. Call it inside `write`.
 * @throws HttpError 413 when they are too long or have too many lines, 422 when there are as many drafts as anybody may have
 */
export function saveDraft({ server: { db }, actor }: Context, fields: Draft['fields'], replaced: Draft | undefined): Draft {
  if (JSON.stringify(fields).length > draftLimits.size) throw new HttpError(413, 'This order is too long to be kept as a draft.')
  inputsOfRows(fields, 'items')
  const keys = filesIn(fields).map(([, key]) => key)
  const values = { fields, files: keys.length > 0 ? keys : null, opened_at: Date.now() }
  if (replaced) return db.update(orderDrafts).set(values).where(eq(orderDrafts.id, replaced.id)).returning().get()
  requireRoomForDraft(db, actor.id)
  return db
    .insert(orderDrafts)
    .values({ ...values, user_id: actor.id, created_at: Date.now() })
    .returning()
    .get()
}

/** @throws HttpError 422 when somebody has as many drafts as anybody may have */
export function requireRoomForDraft(db: Database, userId: number): void {
  if (countDrafts(db, userId) >= draftLimits.count)
    throw new HttpError(422, 'You can keep up to {limit} drafts. Delete one first.', { limit: draftLimits.count })
}

/** The field of a form to which an input belongs, such as `items` for `items[0][name]`. */
export const fieldOf = (input: string) => /^\w*/.exec(input)?.[0] ?? ''

export const storedPart = '[stored]'

/** Keys of files by the inputs that hold them; a line has several. */
export function filesIn(fields: Draft['fields']): Draft['fields'] {
  return fields.filter(([name, value]) => name.endsWith(storedPart) && value)
}

export const draftAttachments: AttachmentSource = (db, key) =>
  withFile(db)
    .all({ key })
    .map(({ id, user_id }) => ({
      record: { entity: 'order_drafts', id },
      name: uploadedName(db, key, user_id),
      mayRead: (actor) => actor.id === user_id && !actor.impersonator,
    }))

const withFile = prepareOnce((db, params) =>
  db
    .select({ id: orderDrafts.id, user_id: orderDrafts.user_id })
    .from(orderDrafts)
    .where(namesFile(orderDrafts.files, params.key))
    .prepare(),
)

/** What the form of a new order says of its draft. */
export interface DraftState {
  id?: number
  mayOffer?: boolean
  files: [input: string, key: string][]
  savedAt?: string
  problem?: string
  /** What was begun before, for whoever begins anew: the latest, and where to go on. */
  begun?: { number: number; opened_at: number; path: string }
}

export function viewOfDraft(context: Context, input: FormInput): DraftState | undefined {
  if (!allows(mayDraft, context.actor)) return undefined
  const draft = namedDraft(context, input)
  return { id: draft?.id, files: [], mayOffer: allows(mayOfferDraft, context.actor), ...(!draft && { begun: begunBefore(context) }) }
}

function begunBefore({ server: { db }, actor }: Context): DraftState['begun'] {
  const open = isOpen(actor.id)
  const drafts = db.select({ id: orderDrafts.id, opened_at: orderDrafts.opened_at }).from(orderDrafts).where(open)
  const [latest, ...others] = drafts.orderBy(desc(orderDrafts.opened_at), desc(orderDrafts.id)).all()
  if (!latest) return undefined
  const path = others.length > 0 ? '/orders/drafts' : `/orders/add?draft=${latest.id}`
  return { number: others.length + 1, opened_at: latest.opened_at, path }
}
