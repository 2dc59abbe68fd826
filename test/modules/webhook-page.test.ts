import t from 'tap'
import { webhookAttempts, webhookDeliveries, webhookEvents, webhookMessages, webhooks } from '../../src/database/schema/index.ts'
import { formatDateTime } from '../../src/i18n/format.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { errorsOf, parseHtml, textOf, textsByRole } from '../support/html.ts'
import { allEvents } from '../support/receiver.ts'

// What the tab of webhooks says and offers; what is sent when is tested in webhooks.test.ts.

const page = '/settings?tab=webhooks'
const never = Date.UTC(2099, 0, 1)

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test, { environment: { WEBHOOK_HOSTS: 'erp.local' } })
  const { db } = cabinet
  const insert = (values: Partial<typeof webhooks.$inferInsert> = {}) => {
    const row = { url: 'https://erp.local/hook?key=1', secret: 'whsec_AAAA', events: [], created_at: 1, ...values }
    return db.insert(webhooks).values(row).returning().get().id
  }
  const queue = (
    webhook_id: number,
    { type = 'order.created', ...values }: { type?: string } & Partial<typeof webhookDeliveries.$inferInsert>,
  ) => {
    const message = { message_id: `msg_${Math.random()}`, type, at: 1, body: '{}' }
    const message_id = db.insert(webhookMessages).values(message).returning().get().id
    return db
      .insert(webhookDeliveries)
      .values({ webhook_id, message_id, next_at: never, ...values })
      .returning()
      .get().id
  }
  return { ...cabinet, root: await cabinet.as('root'), insert, queue }
}

const said = (answer: Answer, selector: string) => {
  const $ = parseHtml(answer.body)
  return $(selector)
    .toArray()
    .map((one) => textOf($.html(one)))
}

t.test('without webhooks the tab says what they are for and offers to add one, for every event', async (t) => {
  const { root } = await start(t)
  const answer = await root.get(page)
  t.same(said(answer, '.empty p'), ['No webhooks yet', 'Add the address of an accounting program or of a service of your own.'])
  t.same(said(answer, '[data-webhook], [data-delivery], table'), [], 'no empty tables')
  const $ = parseHtml(answer.body)
  t.match($('#url').attr(), { type: 'text', name: 'url', value: '', required: '', maxlength: '2000', 'aria-invalid': undefined })
  t.same(said(answer, '#events label'), [
    'Order placed',
    'Order changed status',
    'Order changed',
    'Message about an order',
    'Payment reported',
    'Payment confirmed',
    'Payment rejected',
    'Payment reversed',
    'Document issued',
  ])
  const boxes = $('[name="events[]"]').toArray()
  t.same(
    boxes.map(({ attribs }) => [attribs.value, 'checked' in attribs]),
    webhookEvents.map((event) => [event, true]),
    'all of them are chosen',
  )
  t.match($('.webhook-form').attr(), { method: 'post', action: '/webhooks' })
})

t.test('what is wrong with an address is said at its field', async (t) => {
  const { root } = await start(t)
  const example = 'Enter an address such as https://example.com/webhook.'
  const problems: [url: string, message: string][] = [
    ['', 'Enter the address.'],
    ['erp.local/hook', example],
    [`https://example.com/${'a'.repeat(1981)}`, 'Up to 2000 characters.'],
    ['https://user@example.com/', 'Leave user name and password out of the address. Messages are signed.'],
    ['https://:secret@example.com/', 'Leave user name and password out of the address. Messages are signed.'],
    ['http://10.0.0.1/', 'This address is on a private network. To allow it, name it in WEBHOOK_HOSTS.'],
  ]
  for (const [url, message] of problems)
    t.same(errorsOf(await root.post('/webhooks', { url, events: 'order.message' })), { url: message }, url.slice(0, 40))
  const none = await root.post('/webhooks', { url: 'https://erp.local/' })
  t.same(said(none, '#events-error'), ['Choose at least one event.'])
  t.same(said(await root.post('/webhooks', { url: 'https://erp.local/', events: 'order.gone' }), '#events-error'), [
    'No option "order.gone".',
  ])
  const longest = await root.post('/webhooks', { url: `https://example.com/${'a'.repeat(1980)}`, events: allEvents })
  t.equal(longest.statusCode, 200, 'two thousand characters are taken')
  const shown = parseHtml(longest.body)
  t.match(
    textsByRole(longest, 'status').join(),
    'Webhook added. Messages are signed with this secret. Copy it now: it will not be shown again.',
  )
  const secret = shown('[data-secret]').attr('data-secret')
  t.equal(shown('[data-secret]').text(), secret)
  t.equal(shown('[data-copy]').attr('data-copy'), secret, 'the button copies it')
  t.equal(shown('[data-webhook]').length, 1)
  t.equal(shown('#url').attr('value'), '', 'the form is empty again')
})

t.test('each webhook says where it leads, what for, and whether it works; what waits is counted, its own alone', async (t) => {
  const { root, insert, queue } = await start(t)
  const works = insert({ url: 'https://erp.local/', events: ['order.created', 'payment.confirmed'] })
  const fails = insert({ events: ['order.message'], failing_since: 1 })
  const stopped = insert({ url: 'https://erp.local/b', events: ['order.message'], failing_since: 1, paused_at: 2 })
  for (const state of ['waiting', 'waiting', 'paused', 'sent', 'failed'] as const) queue(fails, { state })
  for (const state of ['paused', 'paused', 'paused', 'waiting', 'sent'] as const) queue(stopped, { state })
  queue(works, { state: 'sent' })
  const answer = await root.get(page)
  const $ = parseHtml(answer.body)
  const dated = (text: string) => text.replace(/\d+ [A-Z]\w\w \d{4}/g, 'DAY')
  t.same(
    [works, fails, stopped].map((id) =>
      ['url', 'events', 'state'].map((column) => dated(textOf($.html($(`[data-webhook="${id}"] [data-col=${column}]`))))),
    ),
    [
      ['https://erp.local/', 'Order placed, Payment confirmed', 'Working'],
      ['https://erp.local/hook?key=1', 'Message about an order', 'Failing · DAY Queued: 2'],
      [
        'https://erp.local/b',
        'Message about an order',
        'Paused · DAY Nothing was accepted for three days. A successful test resumes it. Queued: 3',
      ],
    ],
    'each webhook',
  )
  t.same(
    $('[name=test]')
      .toArray()
      .map(({ attribs }) => attribs['aria-label']),
    ['erp.local', 'erp.local/hook', 'erp.local/b'].map((place) => `Send a test: ${place}`),
    'told apart without what may be secret',
  )
  t.same(said(answer, `[data-webhook="${fails}"] details p`), ['What is queued for it will not be sent.'])
  t.same(said(answer, '.empty'), [])
})

t.test('each delivery says of which event it tells, how it stands and how each attempt ended, in the language of its reader', async (t) => {
  const { db, root, insert, queue } = await start(t)
  const id = insert()
  const at = Date.UTC(2026, 0, 6)
  const answers: [status: number | null, answer: string][] = [
    [null, 'timeout'],
    [null, 'private-address'],
    [null, 'ECONNREFUSED'],
    [500, 'timeout'],
    [204, ''],
  ]
  const ids = [...allEvents, 'webhook.test'].map((type, index) => {
    const state = (['waiting', 'paused', 'failed', 'sent'] as const)[index % 4]
    return queue(id, { type, state, attempts: index === 3 ? 5 : 0 })
  })
  for (const [status, answer] of answers)
    db.insert(webhookAttempts)
      .values({ delivery_id: ids[3] as number, at, status, answer })
      .run()
  const read = async (language: string) => {
    const answer = await root.get(page, { 'accept-language': language })
    const $ = parseHtml(answer.body)
    const rows = ids.map((delivery) => {
      const row = $(`[data-delivery="${delivery}"]`)
      const text = (column: string) => textOf($.html(row.find(`[data-col=${column}]`)))
      return [text('event'), text('state'), row.find('button').attr('aria-label')]
    })
    return { rows, answers: said(answer, `[data-delivery="${ids[3]}"] li`) }
  }
  const place = 'erp.local/hook'
  const english = await read('en')
  const [retry, again] = ['Retry now', 'Send again']
  t.same(
    english.rows,
    [
      ['Order placed', 'Queued', retry],
      ['Order changed status', 'Paused', retry],
      ['Message about an order', 'Failed', retry],
      ['Payment reported', 'Sent', again],
      ['Payment confirmed', 'Queued', retry],
      ['Test', 'Paused', retry],
    ].map(([event, state, button]) => [`${event} ${place}`, state, `${button}: ${event}, ${place}`]),
    'each delivery',
  )
  const time = formatDateTime(at)
  t.same(
    english.answers,
    [
      `${time} No answer in time`,
      `${time} The address is on a private network.`,
      `${time} ECONNREFUSED`,
      `${time} 500 timeout`,
      `${time} 204`,
    ],
    'each attempt',
  )
  const russian = await read('ru')
  t.same(
    russian.rows.map(([event, state]) => `${event}: ${state}`),
    [
      'Заказ оформлен erp.local/hook: В очереди',
      'Статус заказа изменён erp.local/hook: Отправка приостановлена',
      'Сообщение к заказу erp.local/hook: Ошибка',
      'Сообщение об оплате erp.local/hook: Отправлено',
      'Оплата подтверждена erp.local/hook: В очереди',
      'Проверка erp.local/hook: Отправка приостановлена',
    ],
    'in Russian',
  )
  t.same(russian.answers.slice(0, 2), [`${time} Ответ не получен вовремя`, `${time} Адрес находится в частной сети.`], 'in Russian')
})

t.test('what was done is said: to which host a test goes, which webhook is gone, and that something is sent again', async (t) => {
  const { db, root, insert, queue } = await start(t)
  const [first, second] = [insert(), insert({ url: 'http://192.0.2.1/' })]
  const sayings = async (path: string) => {
    const answer = await root.post(path)
    t.equal(answer.headers.location, page, path)
    return textsByRole(await root.get(page), 'status').slice(0, 1)
  }
  t.same(await sayings(`/webhooks/${second}/test`), ['Test message queued for 192.0.2.1'])
  const delivery = queue(second, { state: 'failed' })
  t.same(await sayings(`/webhooks/deliveries/${delivery}/resend`), ['Retrying delivery'])
  t.same(await sayings(`/webhooks/${second}/delete`), ['Webhook 192.0.2.1 deleted'])
  t.same(
    db
      .select()
      .from(webhooks)
      .all()
      .map(({ id }) => id),
    [first],
  )
  for (let count = 1; count < 20; count++) insert()
  const full = await root.post('/webhooks', { url: 'https://erp.local/', events: allEvents })
  t.match(textsByRole(full, 'alert').join(), /There can be up to 20 webhooks/)
})
