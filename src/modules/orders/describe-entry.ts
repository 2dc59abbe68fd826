import type { Actor } from '../../core/access.ts'
import { deedFor, statusNameFor } from '../../core/default-workflow.ts'
import { seesPrices } from '../../core/prices.ts'
import type { orderHistory } from '../../database/index.ts'
import type { Acting } from '../../web/acting.ts'
import { describeValue } from '../../web/form/describe-value.ts'
import { type Fields, fieldsOf, holdsFile } from '../../web/form/form.ts'
import { savedName } from '../../web/uploads/uploaded.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { orderForm, unseenOf } from './form.ts'

type Entry = typeof orderHistory.$inferSelect

/** A status change as a sentence, such as "Petrova Maria requested payment and attached specification.pdf and invoice.pdf". */
export function describeEntry(acting: Acting, entry: Entry, isFirst: boolean): string {
  const { t, language } = acting
  const files = filesOf(acting, entry)
  const name = entry.actor_name
  const done = describeDeed(acting, entry, isFirst)
  if (files.length === 0) return t('{name} {done}', { name, done })
  return t('{name} {done} and attached {files}', { name, done, files: new Intl.ListFormat(language).format(files) })
}

function describeDeed({ t, language, server }: Acting, { transition_id, to_name, undoes_id }: Entry, isFirst: boolean): string {
  if (undoes_id !== null) return t('undid a step')
  if (isFirst) return t('placed the order')
  const transition = loadWorkflow(server.db).transitions.find(({ id }) => id === transition_id)
  return (
    deedFor(language, transition?.action_name) ?? t('moved the order to "{status}"', { status: statusNameFor(language, to_name ?? '') })
  )
}

const seenFields = (actor: Actor): Fields => Object.fromEntries(fieldsOf(orderForm, { mode: 'edit', hidden: new Set(unseenOf(actor)) }))

function filesOf({ server: { db }, actor }: Acting, { order_id, filled }: Entry): string[] {
  const fields = seenFields(actor)
  return Object.entries(filled).flatMap(([name, key]) => {
    const field = fields[name]
    return field && holdsFile(field) ? (savedName(db, { entity: 'orders', id: order_id, field: name }, String(key)) ?? []) : []
  })
}

/** Fields with their values, without the files that the sentence names. */
export function describeFilled({ actor, t }: Acting, values: Record<string, unknown>) {
  const fields = seenFields(actor)
  return Object.entries(values).flatMap(([name, value]) => {
    const field = fields[name]
    return field && !holdsFile(field) ? [{ label: t(field.label), value: describeValue(name, field, value, {}, t) }] : []
  })
}

/** Why the step was made although the company exceeds its credit limit. */
export function describeExcess({ actor, t }: Acting, { exceed_reason }: Entry) {
  return exceed_reason && seesPrices(actor) ? [{ label: t('Reason for exceeding the credit limit'), value: exceed_reason }] : []
}
