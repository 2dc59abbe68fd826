import { and, eq, gt, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { fullName } from '../../core/text.ts'
import { bestEffort, type Database, findSettings, recordViews, type ViewedKind, write } from '../../database/index.ts'
import { wantsFragment } from '../../http/request/input.ts'

type View = typeof recordViews.$inferInsert
type Named = { lastname: string; name: string; middlename: string | null }

/** The pages on which a record is opened, and what it is called there. */
const pages: Record<string, [kind: ViewedKind, label: (record: never) => string]> = {
  '/companies/:id': ['companies', (company: { org: string }) => company.org],
  '/company/edit/:id': ['companies', (company: { org: string }) => company.org],
  '/dealers/edit/:id': ['dealers', (dealer: Named) => fullName(dealer)],
  '/orders/:id': ['orders', (order: { id: number }) => `#${order.id}`],
  '/orders/edit/:id': ['orders', (order: { id: number }) => `#${order.id}`],
}

/** Whoever edits a part of an order by itself has it open. */
const sectionOfOrder = /(?<=^\/orders\/:id)\/(?:edit\/\w+|dates)$/

/** Somebody who opens a record again within these minutes is still looking. */
const lookingTime = 10 * 60_000

/** Views wait a moment in memory, so that many are one write, which no request waits for. */
const bufferTime = 2000

/** While nothing can be written, the oldest are given up. */
const most = 1000

export const recordViewsPlugin = fp(async (app: FastifyInstance) => {
  const waiting: View[] = []
  let timer: NodeJS.Timeout | undefined
  const save = () => {
    clearTimeout(timer)
    timer = undefined
    bestEffort(() => saveViews(app.db, waiting))
  }
  app.addHook('onResponse', (request, reply, done) => {
    const view = viewOf(request, reply)
    if (view) {
      if (waiting.push(view) > most) waiting.shift()
      timer ??= setTimeout(save, bufferTime).unref()
    }
    done()
  })
  app.addHook('onClose', async () => save())
})

/** The view that a request was: a whole page, shown to somebody who asked for it. */
function viewOf(request: FastifyRequest, reply: FastifyReply): View | undefined {
  const { server, method, routeOptions, headers, record } = request
  const page = (routeOptions.url ?? '').slice(server.config.baseUrl.length).replace(sectionOfOrder, '')
  const [kind, labelOf] = pages[page] ?? []
  if (!kind || !labelOf || method !== 'GET' || reply.statusCode !== 200 || wantsFragment(request)) return undefined
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''}`
  if (purpose.includes('prefetch') || !findSettings(server.db).keeps_views) return undefined
  const { id, name, impersonator, address = '' } = request.author
  return {
    at: Date.now(),
    kind,
    record_id: (record as { id: number }).id,
    label: labelOf(record as never),
    user_id: id ?? 0,
    user_name: name,
    impersonator_id: impersonator?.id ?? null,
    impersonator_name: impersonator?.name ?? null,
    address,
  }
}

/** Empties what waits once it is written. */
function saveViews(db: Database, waiting: View[]): void {
  if (waiting.length === 0) return
  write(db, () => {
    if (!findSettings(db).keeps_views) return
    for (const view of waiting) if (!isStillLooking(db, view)) db.insert(recordViews).values(view).run()
  })
  waiting.length = 0
}

function isStillLooking(db: Database, { kind, record_id, user_id, impersonator_id, at }: View): boolean {
  const same = and(
    eq(recordViews.kind, kind),
    eq(recordViews.record_id, record_id),
    gt(recordViews.at, at - lookingTime),
    eq(recordViews.user_id, user_id),
    sql`${recordViews.impersonator_id} is ${impersonator_id}`,
  )
  return db.select({ id: recordViews.id }).from(recordViews).where(same).limit(1).get() !== undefined
}
