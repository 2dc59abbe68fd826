import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Database, products, whereIn } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { productLabel } from '../../products/product.ts'
import { viewOfTotals } from '../pricing/form-totals.ts'
import { type Draft, draftsOf } from './draft.ts'
import { readDraft } from './show-new-order.ts'

type DraftRow = ReturnType<typeof viewOfDrafts>[number] & { total?: number }

const draftsPage = template<{ title: string; drafts: DraftRow[] }>('orders/drafts/page.njk')

export function showDrafts(request: FastifyRequest, reply: FastifyReply) {
  const { server, actor, t } = request
  const drafts = draftsOf(server.db, actor.id)
  const rows = viewOfDrafts(server.db, drafts).map((row, at) => ({ ...row, total: costOf(request, drafts[at] as Draft) }))
  return reply.page(draftsPage, { title: t('Drafts'), drafts: rows })
}

/** As its form shows it, to whoever sees prices. */
function costOf(context: Context, draft: Draft): number | undefined {
  const { state, entry } = readDraft(context, draft)
  return viewOfTotals(context, undefined, state, { ...entry, errors: {} }).total
}

export function viewOfDrafts(db: Database, drafts: Draft[]) {
  const lines = drafts.map(linesOf)
  const labels = productLabels(
    db,
    lines.flat().flatMap(({ product_id }) => product_id ?? []),
  )
  return drafts.map(({ id, opened_at, fields }, at) => ({
    id,
    opened_at,
    customer: fields.find(([name]) => name === 'receiver')?.[1].trim(),
    lines: (lines[at] ?? []).flatMap(({ name, product_id }) => name || (labels.get(product_id ?? 0) ?? [])),
  }))
}

interface Line {
  name?: string
  product_id?: number
}

function linesOf({ fields }: Draft): Line[] {
  const lines = new Map<string, Line>()
  for (const [input, value] of fields) {
    const [, index, part] = /^items\[(\d+)\]\[(name|product_id)\]$/.exec(input) ?? []
    if (index) lines.set(index, { ...lines.get(index), [part as string]: part === 'name' ? value.trim() : parseId(value) })
  }
  return [...lines.values()]
}

function productLabels(db: Database, ids: number[]): Map<number, string> {
  const found = db.select().from(products).where(whereIn(products.id, ids)).all()
  return new Map(found.map((product) => [product.id, productLabel(product)]))
}
