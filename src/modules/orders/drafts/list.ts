import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Database, products, whereIn } from '../../../database/index.ts'
import { parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { productLabel } from '../../products/product.ts'
import { type Draft, draftsOf } from './draft.ts'

const draftsPage = template<{ title: string; drafts: ReturnType<typeof viewOfDrafts> }>('orders/drafts/page.njk')

export function showDrafts(request: FastifyRequest, reply: FastifyReply) {
  const { server, actor, t } = request
  return reply.page(draftsPage, { title: t('Drafts'), drafts: viewOfDrafts(server.db, draftsOf(server.db, actor.id)) })
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
