import { type Actor, group } from '../../core/access.ts'
import { editableFields, fieldsOfNewOrder, orderFields } from '../../core/order-editable-fields.ts'
import { seesPrices } from '../../core/prices.ts'
import { categories } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { forbidden } from '../../http/request/errors.ts'
import type { FormInput } from '../../http/request/input.ts'
import { savedName, uploadedName } from '../../http/uploads/uploaded.ts'
import { type FormState, inState } from '../../records/form/form.ts'
import { isInitial } from '../../records/form/inputs.ts'
import { nameChoices } from '../../records/list/reference-filters.ts'
import { currentDealerChoice, dealerChoices, suggestedDealer } from './dealer-choices.ts'
import { draftFiles, filesIn, namedDraft } from './drafts/draft.ts'
import { hiddenOf, orderFiles, unseenOf } from './form.ts'
import { newLine, withCatalog, withoutCatalog } from './form-lines.ts'
import type { Order } from './order.ts'
import { usesCatalog } from './pricing/catalog.ts'
import { itemsOf } from './pricing/lines.ts'
import { repeatedValues } from './repeat-order.ts'

export function orderFormState(context: Context, order: Order | undefined, input: FormInput): FormState {
  const { server, actor } = context
  const { db } = server
  const state = order ? existingOrderState(context, order, input) : newOrderState(context, input)
  const fileName = (key: string, field: string) =>
    (order && savedName(db, { entity: 'orders', id: order.id, field: field.split('.')[0] }, key)) ?? uploadedName(db, key, actor.id)
  const choices = { ...state.choices, 'items.category_id': nameChoices(db, categories) }
  return usesCatalog(db) ? withCatalog(context, { ...state, choices, fileName }, input) : withoutCatalog({ ...state, choices, fileName })
}

function existingOrderState(context: Context, order: Order, input: FormInput): FormState {
  const { actor, server } = context
  const locked = lockedFields(actor, editableFields(actor, order.statusPermissions))
  const dealers = locked.has('dealer_id') ? currentDealerChoice(server.db, order) : dealerChoices(context, order, input)
  const stored = { ...order, items: itemsOf(server.db, order.id) }
  const states = {
    ...inState('locked', locked),
    ...inState('sealed', actor.group_id === group.dealer && locked.has('dealer_id') ? ['dealer_id'] : []),
    ...inState('hidden', hiddenOf(actor)),
  }
  return { mode: 'edit', stored, choices: { dealer_id: dealers }, states }
}

function newOrderState(context: Context, input: FormInput): FormState {
  const { actor } = context
  const locked = lockedFields(actor, fieldsOfNewOrder(actor))
  if (locked.has('dealer_id') && actor.company_id === null)
    throw forbidden('You cannot place orders without a company. Ask your manager to assign you one.')
  const repeated = repeatedValues(context, input.query)
  const dealers = locked.has('dealer_id') ? [] : dealerChoices(context, undefined, input)
  const dealer = actor.group_id === group.dealer ? actor.id : locked.has('dealer_id') ? undefined : suggestedDealer(context, input.query)
  const stored = {
    // One line to begin with; what was sent says itself which lines there are.
    ...(input.texts.size === 0 && { items: [usesCatalog(context.server.db) ? newLine : {}] }),
    ...Object.fromEntries(Object.entries(repeated).filter(([name]) => !locked.has(name))),
    ...(dealer && { dealer_id: dealer }),
    ...draftFiles(namedDraft(context, input)),
  }
  const states = inState('sealed', locked)
  const computed = lacksLines(input) && { items: { otherwise: 'without_lines' } }
  const files = filesIn(namedDraft(context, input)?.fields ?? []).map(([, key]) => key)
  return { mode: 'create', stored, choices: { dealer_id: dealers }, states, files, ...(computed && { computed }) }
}

/** Whether an order was sent without lines: only then the page offers to place it so. */
function lacksLines({ texts, isDraft }: FormInput): boolean {
  if (isDraft) return false
  const sends = texts.has('without_lines') || (texts.size > 0 && !['_add', '_remove', '_find'].some((button) => texts.has(button)))
  const initial = (place: string) => (place.endsWith('.quantity') ? newLine.quantity : undefined)
  return sends && ![...texts].some(([place, text]) => place.startsWith('items.') && !isInitial(text, initial(place)))
}

/** A body that names what somebody may not see is not read: whether it is refused would tell what is stored. Lines need their prices. */
function lockedFields(actor: Actor, open: ReadonlySet<string>): Set<string> {
  const unseen = unseenOf(actor)
  // A document that no right names is nobody's to change.
  const locked = [...new Set([...orderFields, ...orderFiles])].filter((name) => !open.has(name) && !unseen.includes(name))
  return new Set(seesPrices(actor) ? locked : [...locked, 'items'])
}
