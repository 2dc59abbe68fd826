import { eq, isNull } from 'drizzle-orm'
import t from 'tap'
import { companies, notifications, orderHistory, orderMessages } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { htmx, startCabinet } from '../support/cabinet.ts'
import { parseHtml, textOf } from '../support/html.ts'
import { insertPayment } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const hour = 3600_000
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0'

/** Olga is a superadministrator, and is notified of whatever there is. Order 245 is of Alpha, order 246 of nobody. */
async function start(test: typeof t) {
  const cabinet = await startCabinet(test)
  const { as, db, cast } = cabinet
  const { alpha } = cast.companies
  db.update(companies).set({ payment_days: 7 }).run()
  const owner = { dealer_id: cast.denis, company_id: alpha }
  const order = insertOrder(cabinet, 'payment', { id: 245, ...owner, cost: 100_000, due_since: '2026-01-10' })
  settleOrder(db, order, { id: null, name: 'System' })
  const bare = insertOrder(cabinet, 'payment', { id: 246 })
  let at = Date.UTC(2026, 0, 5)
  /** An hour after the one before. */
  const notify = (values: Partial<typeof notifications.$inferInsert>) => {
    at += hour
    const row = { user_id: cast.root, status_name: '', created_at: at, ...values }
    return db.insert(notifications).values(row).returning().get()
  }
  const write = (order_id: number, text: string, more: object = {}) => {
    const author = { author_id: 1, author_name: 'Petrova Maria', author_group: 1 }
    return db
      .insert(orderMessages)
      .values({ order_id, at: 1, text, ...author, ...more })
      .returning()
      .get().id
  }
  const move = (order_id: number, from_name: string | null) =>
    db.insert(orderHistory).values({ order_id, at: 1, from_name, to_name: 'Paid', actor_name: 'Sidorov Mikhail' }).returning().get().id
  return { ...cabinet, root: await as('root'), order, bare, notify, write, move }
}

t.test(
  'each entry of the inbox says what happened, to what, by whom and when, leads there, and its button says which it marks',
  async (t) => {
    const { db, root, order, bare, notify, write, move } = await start(t as never)
    const reported = insertPayment(db, order, { amount: 123_45, decider_name: 'Petrova Maria' })
    const rejected = insertPayment(db, order, { state: 'rejected', reason: 'Not on the account', decider_name: 'Petrova Maria' })
    const [open, internal, gone, files] = [
      write(order, 'Hello'),
      write(order, 'Between us', { internal: true }),
      write(order, 'Oh', { withdrawn_at: 1 }),
      write(bare, ''),
    ]
    const place = '/orders/245'
    const kept = { file: 'key', file_name: 'orders.xlsx' }
    const missing = '—'
    const cases: [Partial<typeof notifications.$inferInsert>, Record<string, string>][] = [
      [
        { order_id: order, history_id: move(order, 'Awaiting payment'), status_name: 'Paid' },
        { what: 'Paid Previous status: Awaiting payment', by: 'Sidorov Mikhail', links: place, named: 'Order #245, Paid' },
      ],
      [
        { order_id: bare, history_id: move(bare, null), status_name: 'Paid' },
        { order: 'Order #246', what: 'Paid', by: 'Sidorov Mikhail', links: '/orders/246', named: 'Order #246, Paid' },
      ],
      [
        { order_id: order, message_id: open },
        { what: 'Message: Hello', links: `${place}#message-${open}` },
      ],
      [
        { order_id: order, message_id: internal },
        { what: 'Message: Between us Internal', links: `${place}#message-${internal}` },
      ],
      [
        { order_id: order, message_id: gone },
        { what: 'Message: Message withdrawn', links: place },
      ],
      [
        { order_id: bare, message_id: files },
        { order: 'Order #246', what: 'Message: Files are attached.', links: `/orders/246#message-${files}`, named: 'Order #246' },
      ],
      [
        { order_id: order, payment_id: reported, event: 'payment-reported' },
        {
          what: 'Payment reported: 123,45 ₽, 15.01.2026',
          by: 'Denisov Denis',
          links: `${place}#payments`,
          named: 'Order #245, Payment reported, 123,45 ₽, 15.01.2026',
        },
      ],
      [
        { order_id: order, payment_id: rejected, event: 'payment-rejected' },
        {
          what: 'Payment rejected: 100,00 ₽, 15.01.2026 Not on the account',
          links: `${place}#payments`,
          named: 'Order #245, Payment rejected, 100,00 ₽, 15.01.2026',
        },
      ],
      [
        { order_id: order, event: 'payment-due' },
        {
          what: 'Payment is due soon Still to pay: 1 000,00 ₽',
          by: missing,
          links: `${place}#payments`,
          named: 'Order #245, Payment is due soon',
        },
      ],
      [{ status_name: 'Paid' }, { order: 'Deleted order', what: 'Paid', by: missing, links: '', named: 'Deleted order, Paid' }],
      [{}, { order: 'Deleted order', what: 'Message', by: missing, links: '', named: 'Deleted order' }],
      [
        { event: 'export-ready', ...kept },
        { order: 'Your file is ready', what: 'orders.xlsx', by: missing, links: '/notifications/*/file' },
      ],
      [
        { event: 'export-failed', ...kept, file: null },
        { order: 'Your file could not be created', what: 'orders.xlsx', by: missing, links: '' },
      ],
      [
        { event: 'webhook-paused', address: 'erp.local' },
        {
          order: 'A webhook was paused',
          what: 'Nothing was accepted for three days. erp.local',
          by: missing,
          links: '/settings?tab=webhooks',
        },
      ],
      [
        { event: 'email-changed', address: '192.0.2.7', user_agent: firefox },
        {
          order: 'Your email was changed',
          what: 'If this was not you, contact an administrator immediately. 192.0.2.7, Firefox · Windows',
          by: missing,
          links: '',
        },
      ],
    ]
    const expected = cases.map(([values, told]) => {
      const { id, created_at } = notify(values)
      const { order = 'Order #245 Alpha Windows', what = '', by = 'Petrova Maria', links = '' } = told
      const { named = told.order ?? 'Order #245' } = told
      const when = formatDateTime(created_at)
      return { order, what, by, links: links.replace('*', String(id)), when, button: `Mark as unread: ${named}, ${when}` }
    })
    db.update(notifications).set({ read_at: 1 }).run()
    const $ = parseHtml((await root.get('/notifications?sort=created_at&dir=asc')).body)
    const shown = $('tr[data-notification]')
      .toArray()
      .map((row) => {
        const text = (column: string) => textOf($.html($(row).find(`[data-col=${column}]`))).replace(/ ,/g, ',')
        const links = $(row).find('td a').toArray()
        return {
          order: text('order'),
          what: text('status'),
          by: text('changed_by'),
          links: links.map(({ attribs }) => attribs.href).join(),
          when: $(row).find('[data-col=created_at]').attr('title'),
          button: $(row).find('.row-actions button').attr('aria-label')?.replaceAll('\u00a0', ' '),
        }
      })
    t.same(shown, expected, 'each entry')
    t.equal($('a[href$="/file"]').attr('hx-boost'), 'false', 'a file is downloaded, not put into the page')
  },
)

t.test('the panel of the bell tells what is new about each order and leads there, and what is read no more than once', async (t) => {
  const { db, root, order, bare, notify, write, move } = await start(t as never)
  const paid = insertPayment(db, order, { amount: 123_45 })
  notify({ order_id: bare, history_id: move(bare, null), status_name: 'Paid', read_at: 1 })
  const files = write(bare, '')
  notify({ order_id: bare, message_id: files, read_at: 1 })
  notify({ order_id: order, history_id: move(order, null), status_name: 'Apply', read_at: 1 })
  for (const text of ['One', 'Two', 'Three']) notify({ order_id: order, message_id: write(order, text) })
  notify({ order_id: order, message_id: write(order, 'Oh', { withdrawn_at: 1 }) })
  const newest = notify({ order_id: order, payment_id: paid, event: 'payment-reported' })
  notify({ status_name: 'Paid', read_at: 1 })
  notify({ read_at: 1 })
  const file = notify({ event: 'export-ready', file: 'key', file_name: 'orders.xlsx' })
  notify({ event: 'export-failed', file_name: 'dealers.xlsx', read_at: 1 })
  notify({ event: 'webhook-paused', address: 'erp.local', read_at: 1 })
  const last = notify({ event: 'email-changed', address: '192.0.2.7', read_at: 1 })
  const $ = parseHtml((await root.get('/notifications/latest', htmx)).body)
  const entries = $('li')
    .toArray()
    .map((entry) => {
      const links = $(entry).find('a').toArray()
      const told = $(entry)
        .find('p')
        .toArray()
        .map((line) => textOf($.html(line)).replaceAll('\u00a0', ' '))
      const head = $(entry).children('a, strong').text().replace(/\s+/g, ' ').trim()
      const isNew = $(entry).children('.visually-hidden').text().trim() === ', Not read yet'
      return [head, isNew ? 'new' : 'read', ...told, ...links.map(({ attribs }) => attribs.href)]
    })
  t.same(
    entries,
    [
      ['Your email was changed', 'read', 'If this was not you, contact an administrator immediately.'],
      ['A webhook was paused', 'read', 'erp.local', '/settings?tab=webhooks'],
      ['Your file could not be created', 'read', 'dealers.xlsx'],
      ['Your file is ready', 'new', 'orders.xlsx', `/notifications/${file.id}/file`],
      ['Deleted order', 'read', 'Message'],
      ['Deleted order', 'read', 'Paid'],
      [
        'Order #245',
        'new',
        'Payment reported: Denisov Denis, 123,45 ₽',
        'Petrova Maria: Message withdrawn',
        'Petrova Maria: Three',
        'and 2 more',
        '/orders/245#payments',
      ],
      ['Order #246', 'read', 'Petrova Maria: Files are attached.', `/orders/246#message-${files}`],
    ],
    'each entry',
  )
  const moments = $('li > time').toArray()
  t.same(
    [moments[0], moments[6]].map((time) => time?.attribs.title),
    [last, newest].map(({ created_at }) => formatDateTime(created_at)),
    'each with the moment of its newest',
  )
  t.same(
    $('[data-read-by]')
      .toArray()
      .map(({ attribs }) => attribs['data-read-by']),
    [`/notifications/${newest.id}/read`],
    'following the link reads what is new about its order',
  )
  t.equal($('.bell-all').attr('href'), '/notifications')
  t.match($('form').attr(), { method: 'post', action: '/notifications/read' })
})

t.test('the panel looks at the last three hundred notifications of somebody', async (t) => {
  const { cast, db, root, order, bare, notify } = await start(t as never)
  notify({ order_id: order, status_name: 'Paid' })
  const more = { user_id: cast.root, order_id: bare, status_name: 'Paid', created_at: Date.now() }
  const entries = async () => parseHtml((await root.get('/notifications/latest', htmx)).body)('li').length
  db.insert(notifications).values(Array(299).fill(more)).run()
  t.equal(await entries(), 2, 'of two orders')
  db.insert(notifications).values(more).run()
  t.equal(await entries(), 1, 'what is older is in the list')
})

t.test('the bell leads to the inbox, opens a panel and hears of what is new', async (t) => {
  const { root } = await start(t as never)
  const $ = parseHtml((await root.get('/')).body)
  t.match($('#bell').attr(), {
    href: '/notifications',
    'hx-sse:close': 'end',
    'hx-swap': 'none',
    'data-count': '/notifications/unread',
    'data-panel': '/notifications/latest',
  })
  t.equal($('#bell-news').attr('aria-live'), 'polite', 'a new number is read out')
  t.match($('#bell-panel').attr(), { popover: '', role: 'dialog', 'aria-label': 'Notifications', tabindex: '-1' })
})

t.test(
  'following an order from the bell reads all that was new about it until then, of this person alone; from the list that one',
  async (t) => {
    const { cast, db, root, order, bare, notify } = await start(t as never)
    notify({ order_id: order, status_name: 'Paid', user_id: cast.denis })
    const mine = [order, order, bare, order].map((order_id) => notify({ order_id, status_name: 'Paid' }).id)
    const newer = notify({ order_id: order, status_name: 'Paid' })
    const [first, second, , last] = mine as [number, number, number, number]
    const stamp = db.update(notifications).set({ read_at: 1 })
    stamp.where(eq(notifications.id, first)).run()
    const unread = () => db.select().from(notifications).where(isNull(notifications.read_at)).all()
    const unreadOf = (user: number) =>
      unread()
        .flatMap(({ id, user_id }) => (user_id === user ? id : []))
        .sort((one, other) => one - other)
    await root.post(`/notifications/${last}/read`, { value: 1, order: 0 })
    t.same(unreadOf(cast.root), [second, mine[2], newer.id], 'from the list')
    await root.post(`/notifications/${last}/read`, { value: 0, order: 1 })
    t.same(unreadOf(cast.root), [second, mine[2], last, newer.id], 'marked as unread it is that one, too')
    await root.post(`/notifications/${last}/read`, { value: 1, order: 1 })
    t.same(unreadOf(cast.root), [mine[2], newer.id], 'another order, and what came later, are still new')
    t.equal(unreadOf(cast.denis).length, 1, 'for others it is still new')
    t.equal(db.select().from(notifications).where(eq(notifications.id, first)).get()?.read_at, 1, 'what was read before was read then')
  },
)
