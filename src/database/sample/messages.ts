import { desc, eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { Database } from '../open.ts'
import { companies, notifications, orderMessageFiles, orderMessages, orders, orderVisits, statuses, users } from '../schema/index.ts'
import { minute, now } from './calendar.ts'
import type { DocumentName } from './documents.ts'
import type { SampleFiles } from './files.ts'
import { actorOf, type Dealer } from './order-history.ts'

interface Line {
  by: 'dealer' | 'manager' | 'production'
  text: string
  internal?: boolean
  file?: DocumentName
}

/** What is said about the latest order of a status; the last line of an unread one is still to be read. */
const discussions: { status: string; unread?: boolean; lines: Line[] }[] = [
  {
    status: 'new',
    unread: true,
    lines: [{ by: 'dealer', text: 'Проём замеряли до штукатурки. Оставить запас 20 мм с каждой стороны или сделать замер ещё раз?' }],
  },
  {
    status: 'apply',
    unread: true,
    lines: [{ by: 'manager', text: 'В заявке петли слева, а на эскизе клиента справа. Как делаем? Выставлю счёт, как только ответите.' }],
  },
  {
    status: 'payment',
    unread: true,
    lines: [
      { by: 'dealer', text: 'Добрый день! Можно оплатить двумя частями: половину сейчас, остальное перед отгрузкой?' },
      { by: 'manager', text: 'Бухгалтерия согласовала рассрочку до конца месяца, дальше только предоплата.', internal: true },
      { by: 'manager', text: 'Да, можно. Счёт на первую часть во вложении.', file: 'invoice' },
    ],
  },
  {
    status: 'production',
    lines: [
      { by: 'dealer', text: 'Клиент спрашивает, успеваем ли к обещанной дате: монтажники уже записаны.' },
      { by: 'production', text: 'Успеваем. Полотно собрано, завтра покраска.' },
      { by: 'dealer', text: 'Спасибо, передам клиенту.' },
    ],
  },
  {
    status: 'install',
    unread: true,
    lines: [
      { by: 'production', text: 'Одну панель поцарапали при упаковке, заменили со склада. Срок прежний.', internal: true },
      { by: 'dealer', text: 'Монтаж в субботу, а пультов в коробке нет. Можно привезти их отдельно?' },
      { by: 'manager', text: 'Пульты отправили курьером, завтра до обеда будут у вас.' },
    ],
  },
  {
    status: 'completed',
    lines: [
      { by: 'dealer', text: 'Всё смонтировали, клиент доволен. Фото пришлю на неделе.' },
      { by: 'manager', text: 'Отлично! Хорошие фотографии поставим в новости.' },
    ],
  },
]

export function addMessages(db: Database, { documents }: SampleFiles): void {
  for (const { status, lines, unread } of discussions) {
    const found = latestOrder(db, status)
    if (!found) continue
    const { order } = found
    const dealer: Dealer = { ...found.dealer, company: found.company }
    const manager = actorOf(db, 'manager', dealer)
    const gap = Math.min(170 * minute, (now - order.updated_at) / (lines.length + 1))
    for (const [index, { by, text, internal = false, file }] of lines.entries()) {
      const at = Math.round(order.updated_at + gap * (index + 1))
      const author = actorOf(db, by, dealer)
      const written = { author_id: author.id, author_name: `${author.lastname} ${author.name}`, author_group: author.group_id }
      const message = db
        .insert(orderMessages)
        .values({ order_id: order.id, at, ...written, text, internal })
        .returning({ id: orderMessages.id })
        .get()
      const document = file && documents[file]
      if (document) {
        const { key, name, size } = document
        db.insert(orderMessageFiles).values({ message_id: message.id, file: key, name, size }).run()
      }
      const readers = [dealer, manager].filter(({ id }) => id !== author.id && !(internal && id === dealer.id))
      const isUnread = unread === true && index === lines.length - 1
      const notice = { order_id: order.id, message_id: message.id, status_name: '', created_at: at }
      for (const { id: user_id } of readers)
        db.insert(notifications)
          .values({ user_id, ...notice, read_at: isUnread ? null : at + 20 * minute })
          .run()
      for (const { id: user_id } of isUnread ? [author] : [author, ...readers]) markSeen(db, user_id, order.id, at)
    }
  }
}

/** Of the known dealer if they have one, or else of the known manager. */
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

function markSeen(db: Database, user_id: number, order_id: number, seen_at: number): void {
  db.insert(orderVisits)
    .values({ user_id, order_id, seen_at })
    .onConflictDoUpdate({ target: [orderVisits.user_id, orderVisits.order_id], set: { seen_at } })
    .run()
}
