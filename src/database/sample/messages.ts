import { desc, eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Database } from '../open.ts'
import { companies, notifications, orderMessageFiles, orderMessages, orders, orderVisits, statuses, users } from '../schema/index.ts'
import { minute, now, readContent, type SampleFiles } from './content.ts'
import { actorOf, type Dealer, type Step } from './order-history.ts'

interface Line {
  by: Step['by']
  text: string
  internal?: boolean
  file?: string
}

interface Discussion {
  status: string
  unread?: boolean
  lines: Line[]
}

export function addMessages(db: Database, { documents }: SampleFiles): void {
  for (const { status, lines, unread = false } of readContent<Discussion[]>('discussions')) {
    const found = latestOrder(db, status)
    if (!found) continue
    const { order } = found
    const dealer = { ...found.dealer, company: found.company }
    const gap = Math.min(170 * minute, (now - order.updated_at) / (lines.length + 1))
    for (const [index, line] of lines.entries()) {
      const at = Math.round(order.updated_at + gap * (index + 1))
      addMessage(db, order.id, dealer, line, at, unread && index === lines.length - 1, documents[line.file ?? ''])
    }
  }
}

function addMessage(
  db: Database,
  order_id: number,
  dealer: Dealer,
  { by, text, internal = false }: Line,
  at: number,
  unread: boolean,
  document: SampleFiles['documents'][string] | undefined,
): void {
  const author = actorOf(db, by, dealer)
  const row = {
    order_id,
    at,
    author_id: author.id,
    author_name: `${author.lastname} ${author.name}`,
    author_group: author.group_id,
    text,
    internal,
  }
  const message_id = Number(db.insert(orderMessages).values(row).run().lastInsertRowid)
  if (document) {
    const { key, name, size } = document
    db.insert(orderMessageFiles).values({ message_id, file: key, name, size }).run()
  }
  const readers = [dealer, actorOf(db, 'manager', dealer)].filter(({ id }) => id !== author.id && !(internal && id === dealer.id))
  for (const { id: user_id } of readers) {
    const notice = { user_id, order_id, message_id, status_name: '', created_at: at, read_at: unread ? null : at + 20 * minute }
    db.insert(notifications).values(notice).run()
  }
  for (const { id: user_id } of unread ? [author] : [author, ...readers])
    db.insert(orderVisits)
      .values({ user_id, order_id, seen_at: at })
      .onConflictDoUpdate({ target: [orderVisits.user_id, orderVisits.order_id], set: { seen_at: at } })
      .run()
}

function latestOrder(db: Database, status: string) {
  const managers = alias(users, 'managers')
  return db
    .select({ order: { id: orders.id, updated_at: orders.updated_at }, dealer: users, company: companies })
    .from(orders)
    .innerJoin(statuses, eq(statuses.id, orders.status_id))
    .innerJoin(users, eq(users.id, orders.dealer_id))
    .innerJoin(companies, eq(companies.id, users.company_id))
    .innerJoin(managers, eq(managers.id, companies.manager_id))
    .where(eq(statuses.status_key, status))
    .orderBy(desc(eq(users.email, 'dealer@example.com')), desc(eq(managers.email, 'manager@example.com')), desc(orders.id))
    .limit(1)
    .get()
}
