import { eq } from 'drizzle-orm'
import t from 'tap'
import {
  companies,
  deliveries,
  notifications,
  orderHistory,
  orderMessages,
  orders,
  settings,
  users,
} from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { settleOrder } from '../../src/modules/ledger/book.ts'
import { addServiceJob } from '../../src/records/jobs/job.ts'
import { startCabinet } from '../support/cabinet.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { insertPayment, payOrder } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'
import { until } from '../support/until.ts'

const system = { id: null, name: 'System' }
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:130.0) Gecko/20100101 Firefox/130.0'
const at = Date.UTC(2026, 0, 5, 9)
const time = formatDateTime(at)

type Notification = Partial<typeof notifications.$inferInsert>

/** Order 245 is of Alpha, which has seven days to pay and 750 rubles left to pay; order 246 is of no company. */
async function start(test: typeof t) {
  const office = await startMailServer(test)
  const environment = { SMTP_URL: office.url, PUBLIC_URL: 'https://cabinet.example', BASE_URL: '/b' }
  const cabinet = await startCabinet(test, { environment })
  const { app, db, cast } = cabinet
  const { alpha } = cast.companies
  db.update(companies).set({ payment_days: 7 }).where(eq(companies.id, alpha)).run()
  const owner = { dealer_id: cast.denis, company_id: alpha }
  const order = insertOrder(cabinet, 'payment', { id: 245, ...owner, cost: 100_000, due_since: '2026-01-10', specification_number: 1003 })
  settleOrder(db, order, system)
  payOrder(db, order, 25_000)
  const bare = insertOrder(cabinet, 'payment', { id: 246 })
  db.update(orders).set({ dealer_id: null, company_id: null }).where(eq(orders.id, bare)).run()
  db.update(users).set({ language: 'ru' }).where(eq(users.id, cast.maria)).run()
  /** What a notification of that time says, in English and in Russian. */
  const letters = async (values: Notification) => {
    office.letters.length = 0
    for (const user_id of [cast.denis, cast.maria]) {
      const row = { user_id, status_name: '', created_at: at, ...values }
      const notification_id = db.insert(notifications).values(row).returning().get().id
      db.insert(deliveries).values({ notification_id, channel: 'email', next_at: 0 }).run()
    }
    addServiceJob(app, { kind: 'email' })
    await until(() => office.letters.length === 2)
    return ['denis@example.com', 'maria@example.com'].map((to) => {
      const { subject, text } = office.letters.find((letter) => letter.to === to) ?? { subject: '', text: '' }
      return [subject, ...text.trim().split('\n')].map((line) => line.replaceAll('\u00a0', ' '))
    })
  }
  return { ...cabinet, order, bare, letters }
}

t.test('a mail of a step says which order moved where and from where, by whom and when', async (t) => {
  const { db, order, bare, letters } = await start(t as never)
  const step = (order_id: number, from_name: string | null) =>
    db.insert(orderHistory).values({ order_id, at: 1, from_name, to_name: 'New', actor_name: 'Petrova Maria' }).returning().get().id
  t.same(
    await letters({ order_id: order, status_name: 'New', history_id: step(order, 'Awaiting payment') }),
    [
      [
        'Order 245: New',
        'Order 245 from Alpha Windows moved to "New".',
        'Specification number: 1003',
        'Previous status: Awaiting payment',
        `Changed by: Petrova Maria, ${time}`,
        '',
        'https://cabinet.example/b/orders/245',
      ],
      [
        'Заказ № 245: Новый',
        'Заказ № 245 (Alpha Windows) переведён в статус «Новый».',
        'Спецификация № 1003',
        'Прежний статус: Ожидает оплаты',
        `Кто: Petrova Maria, ${time}`,
        '',
        'https://cabinet.example/b/orders/245',
      ],
    ],
    'with all that is known',
  )
  t.same(
    await letters({ order_id: bare, status_name: 'New', history_id: step(bare, null) }),
    [
      ['Order 246: New', 'Order 246: New', `Changed by: Petrova Maria, ${time}`, '', 'https://cabinet.example/b/orders/246'],
      ['Заказ № 246: Новый', 'Заказ № 246: Новый', `Кто: Petrova Maria, ${time}`, '', 'https://cabinet.example/b/orders/246'],
    ],
    'of an order without a company, a specification and a status before',
  )
})

t.test('a mail of a payment says how much, of which order, who reported or decided and when, and why it was rejected', async (t) => {
  const { db, order, bare, letters } = await start(t as never)
  const decided = { decider_name: 'Petrova Maria', amount: 123_45 }
  const reported = insertPayment(db, order, decided)
  const link = 'https://cabinet.example/b/orders/245#payments'
  t.same(
    await letters({ order_id: order, payment_id: reported, event: 'payment-reported' }),
    [
      [
        'Order 245: Payment reported',
        'Payment reported: 123,45 ₽',
        'Order 245 from Alpha Windows',
        `Changed by: Denisov Denis, ${time}`,
        '',
        link,
      ],
      [
        'Заказ № 245: Сообщение об оплате',
        'Сообщение об оплате: 123,45 ₽',
        'Заказ № 245 (Alpha Windows)',
        `Кто: Denisov Denis, ${time}`,
        '',
        link,
      ],
    ],
    'reported',
  )
  const rejected = insertPayment(db, order, { ...decided, state: 'rejected', reason: 'Not on the account' })
  t.same(
    await letters({ order_id: order, payment_id: rejected, event: 'payment-rejected' }),
    [
      [
        'Order 245: Payment rejected',
        'Payment rejected: 123,45 ₽',
        'Order 245 from Alpha Windows',
        'Reason: Not on the account',
        `Changed by: Petrova Maria, ${time}`,
        '',
        link,
      ],
      [
        'Заказ № 245: Оплата отклонена',
        'Оплата отклонена: 123,45 ₽',
        'Заказ № 245 (Alpha Windows)',
        'Причина: Not on the account',
        `Кто: Petrova Maria, ${time}`,
        '',
        link,
      ],
    ],
    'rejected',
  )
  const confirmed = insertPayment(db, bare, { ...decided, state: 'confirmed' })
  const bareLink = 'https://cabinet.example/b/orders/246#payments'
  t.same(
    await letters({ order_id: bare, payment_id: confirmed, event: 'payment-confirmed' }),
    [
      ['Order 246: Payment confirmed', 'Payment confirmed: 123,45 ₽', 'Order 246', `Changed by: Petrova Maria, ${time}`, '', bareLink],
      ['Заказ № 246: Оплата подтверждена', 'Оплата подтверждена: 123,45 ₽', 'Заказ № 246', `Кто: Petrova Maria, ${time}`, '', bareLink],
    ],
    'confirmed, of no company',
  )
})

t.test('a mail of a due day says until when what is left of an order is to be paid', async (t) => {
  const { order, letters } = await start(t as never)
  const link = 'https://cabinet.example/b/orders/245#payments'
  for (const [event, notice, inRussian] of [
    ['payment-due', 'Payment is due soon', 'Подходит срок оплаты'],
    ['payment-overdue', 'Payment is overdue', 'Оплата просрочена'],
  ] as const)
    t.same(
      await letters({ order_id: order, event }),
      [
        [`Order 245: ${notice}`, notice, 'Order 245 from Alpha Windows', 'Due date: 17.01.2026', 'Still to pay: 750,00 ₽', '', link],
        [
          `Заказ № 245: ${inRussian}`,
          inRussian,
          'Заказ № 245 (Alpha Windows)',
          'Оплатить до: 17.01.2026',
          'Осталось оплатить: 750,00 ₽',
          '',
          link,
        ],
      ],
      event,
    )
})

t.test('a mail of a message says who wrote what about which order, and whether dealers read it', async (t) => {
  const { db, order, bare, letters } = await start(t as never)
  const write = (order_id: number, text: string, internal = false) => {
    const author = { author_id: 1, author_name: 'Root Olga', author_group: 1 }
    return db
      .insert(orderMessages)
      .values({ order_id, at: 1, text, internal, ...author })
      .returning()
      .get().id
  }
  const secret = write(order, 'Two\nlines', true)
  const link = `https://cabinet.example/b/orders/245#message-${secret}`
  t.same(
    await letters({ order_id: order, message_id: secret }),
    [
      [
        'Order 245: message from Root Olga',
        'Root Olga wrote about order 245 from Alpha Windows:',
        'Internal: this message is hidden from dealers.',
        '',
        'Two',
        'lines',
        '',
        link,
      ],
      [
        'Заказ № 245: новое сообщение (Root Olga)',
        'Root Olga – сообщение к заказу № 245 (Alpha Windows):',
        'Внутреннее: дилеры не видят этого сообщения.',
        '',
        'Two',
        'lines',
        '',
        link,
      ],
    ],
    'internal',
  )
  const files = write(bare, '')
  const bareLink = `https://cabinet.example/b/orders/246#message-${files}`
  t.same(
    await letters({ order_id: bare, message_id: files }),
    [
      ['Order 246: message from Root Olga', 'Root Olga wrote:', '', 'Files are attached.', '', bareLink],
      ['Заказ № 246: новое сообщение (Root Olga)', 'Root Olga:', '', 'Приложены файлы.', '', bareLink],
    ],
    'files alone, of no company',
  )
})

t.test(
  'a mail of a change to an account says what, when, from where and with which browser, in the name of the organization',
  async (t) => {
    const { db, letters } = await start(t as never)
    const events = [
      ['password-changed', 'Your password was changed', 'Ваш пароль изменён'],
      ['email-changed', 'Your email was changed', 'Ваш email изменён'],
      ['telegram-changed', 'Your Telegram ID was changed', 'Ваш Telegram ID изменён'],
      ['factor-changed', 'Your two-step verification was changed', 'Настройки вашей двухэтапной аутентификации изменены'],
      ['passkey-added', 'A passkey was added to your account', 'К вашей учётной записи добавлен ключ доступа'],
      ['passkey-removed', 'A passkey was removed from your account', 'Из вашей учётной записи удалён ключ доступа'],
    ] as const
    for (const [event, notice, inRussian] of events)
      t.same(
        await letters({ event, address: '192.0.2.7', user_agent: firefox }),
        [
          [
            `Dealer cabinet: ${notice}`,
            `${notice}. Time: ${time}`,
            'IP address: 192.0.2.7',
            'Browser: Firefox · Windows',
            '',
            'If this was not you, contact an administrator immediately.',
          ],
          [
            `Дилерский кабинет: ${inRussian}`,
            `${inRussian}. Время: ${time}`,
            'IP-адрес: 192.0.2.7',
            'Браузер: Firefox · Windows',
            '',
            'Если это были не вы, сразу свяжитесь с администратором.',
          ],
        ],
        event,
      )
    db.update(settings).set({ name: 'Windows & Co' }).run()
    t.same(
      await letters({ event: 'email-changed' }),
      [
        [
          'Windows & Co: Your email was changed',
          `Your email was changed. Time: ${time}`,
          '',
          'If this was not you, contact an administrator immediately.',
        ],
        [
          'Windows & Co: Ваш email изменён',
          `Ваш email изменён. Время: ${time}`,
          '',
          'Если это были не вы, сразу свяжитесь с администратором.',
        ],
      ],
      'by the name that the organization has given itself, without a browser',
    )
  },
)
