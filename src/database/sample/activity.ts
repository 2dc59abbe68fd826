import { and, asc, eq, getTableName, gt, isNotNull, isNull, ne, notInArray } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { type Author, diffFields, logChange, type RecordTable } from '../audit-log.ts'
import { deleteRecords } from '../delete-records.ts'
import type { Database } from '../open.ts'
import {
  accessRequests,
  changes,
  companies,
  deliveries,
  news,
  notifications,
  orderHistory,
  orders,
  policies,
  type StoredRow,
  statuses,
  trash,
  users,
} from '../schema/index.ts'
import { day, insertAll, minute, now, today } from './content.ts'

type User = typeof users.$inferSelect

const toAuthor = ({ id, lastname, name }: User): Author => ({ id, name: `${lastname} ${name}` })

export function addActivity(db: Database): void {
  const people = new Map<unknown, User>()
  for (const person of db.select().from(users).all()) people.set(person.id, person)
  const admin = [...people.values()].find(({ superadmin }) => superadmin) as User
  const managerOf = ({ manager_id }: StoredRow) => people.get(manager_id) ?? admin
  addHistory(db, users, nameOf, managerOf, ['phone', 'position'])
  addHistory(db, companies, ({ org }) => String(org), managerOf, ['phone', 'address'])
  addHistory(db, news, titleOf, () => admin, [])
  addNotifications(db)
  addTrash(db, toAuthor(admin))
  requestAccess(db)
}

const nameOf = (row: StoredRow) => fullName(row as unknown as User)
const titleOf = ({ name }: StoredRow) => String(name)

/** An entry for the creation of each record, and for some an edit of one field since. */
function addHistory(
  db: Database,
  table: RecordTable,
  labelOf: (row: StoredRow) => string,
  authorOf: (row: StoredRow) => User,
  edited: string[],
): void {
  const rows = db.select().from(table).all() as (StoredRow & { id: number; created_at: number })[]
  for (const row of rows) {
    const record = { entity: getTableName(table), record_id: row.id, label: labelOf(row) }
    const author = toAuthor(authorOf(row))
    const created = diffFields(table, {}, row)
    const name = edited.find((name) => row[name])
    const isEdited = name && row.id % 4 === 0 && row.created_at < today - 3 * day
    if (isEdited) delete created[name]
    logChange(db, { ...record, at: row.created_at, action: 'create', record_version: 1, fields: created }, author)
    if (!isEdited) continue
    const days = Math.floor(Math.min(today - row.created_at, 60 * day) / day)
    const at = today - (row.id % days) * day - 12 * 60 * minute + (row.id % 180) * minute
    logChange(db, { ...record, at, action: 'update', record_version: 2, fields: { [name]: [null, row[name]] } }, author)
    db.update(table).set({ version: 2, updated_at: at }).where(eq(table.id, row.id)).run()
  }
}

function addNotifications(db: Database): void {
  const steps = db
    .select({ step: orderHistory, order: orders, status: statuses, site: companies.manufacture_id })
    .from(orderHistory)
    .innerJoin(orders, eq(orders.id, orderHistory.order_id))
    .innerJoin(statuses, eq(statuses.id, orderHistory.to_status_id))
    .leftJoin(companies, eq(companies.id, orders.owner_company_id))
    .where(gt(orderHistory.at, today - 30 * day))
    .orderBy(asc(orderHistory.at))
    .all()
  const activeStaff = and(ne(users.group_id, group.dealer), users.active)
  const staff = db.select().from(users).where(activeStaff).all()
  const idsOf = (matches: (person: User) => boolean) => staff.filter(matches).map(({ id }) => id)
  const entries = steps.flatMap(({ step, order, status, site }) => {
    const recipients = [
      ...(status.notify_manager && order.owner_manager_id ? [order.owner_manager_id] : []),
      ...(status.notify_admin ? idsOf(({ group_id }) => group_id === group.administrator) : []),
      ...(status.notify_dealer && order.dealer_id ? [order.dealer_id] : []),
      ...(status.notify_make ? idsOf((person) => person.group_id === group.production && person.manufacture_id === site) : []),
    ]
    const read_at = step.at < now - 3 * day ? step.at + 90 * minute : null
    const about = { order_id: order.id, history_id: step.id, status_name: step.to_name ?? '', created_at: step.at, read_at }
    return recipients.map((user_id) => ({ user_id, ...about }))
  })
  insertAll(db, notifications, entries)
  const added = db.select({ id: notifications.id, at: notifications.created_at }).from(notifications).orderBy(asc(notifications.id)).all()
  insertAll(db, deliveries, added.map(deliver))
}

function deliver({ id, at }: { id: number; at: number }): typeof deliveries.$inferInsert {
  const email = { notification_id: id, channel: 'email' as const, next_at: at }
  if (id % 67 === 0) return { ...email, state: 'failed', attempts: 8, last_error: '550 5.1.1 Mailbox unavailable' }
  return { ...email, state: 'sent', attempts: 1, sent_at: at + 4000 }
}

function addTrash(db: Database, author: Author): void {
  const withOrders = db.selectDistinct({ id: orders.dealer_id }).from(orders)
  const unused = [eq(users.group_id, group.dealer), eq(users.active, false), isNotNull(users.company_id), notInArray(users.id, withOrders)]
  const dealers = db.select({ id: users.id }).from(users)
  const found = dealers
    .where(and(...unused))
    .orderBy(asc(users.id))
    .limit(2)
  const [first, second] = found.all()
  if (first && second) deleteRecords(db, { table: users, list: 'dealers' }, [first.id, second.id], author)
  const draft = and(eq(news.published, false), isNull(news.publishedon))
  const article = db.select({ id: news.id }).from(news).where(draft).get()
  if (article) deleteRecords(db, { table: news, list: 'news' }, [article.id], author)
  const at = today - 2 * day + 9 * 60 * minute
  db.update(trash).set({ at }).run()
  db.update(changes).set({ at }).where(eq(changes.action, 'delete')).run()
}

function requestAccess(db: Database): void {
  const asking = db.select().from(users).where(eq(users.email, 'manager@example.com')).get()
  const policy = db.select().from(policies).where(eq(policies.key, 'company_can_edit_discount')).get()
  if (!asking || !policy) return
  const note = 'Две компании выросли за год, хочу предложить им другую скидку.'
  const request = { user_id: asking.id, policy_id: policy.id, note, created_at: now - 50 * minute }
  db.insert(accessRequests).values(request).run()
}
