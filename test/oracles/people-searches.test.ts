import { eq } from 'drizzle-orm'
import t from 'tap'
import { group } from '../../src/core/access.ts'
import { deliveries, notifications, users } from '../../src/database/schema/index.ts'
import { clientFor } from '../support/api.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'

// Whoever is not shown an email, phone number or Telegram ID must not be told it by a search that finds its person, either.

const actors: Name[] = ['root', 'admin', 'clerk', 'maria', 'mikhail', 'plain', 'pavel', 'denis', 'daria']
const secrets = ['email', 'phone', 'tg_id'] as const

interface Secret {
  of: number
  column: (typeof secrets)[number]
  text: string
}

const cards: Record<number, string> = {
  [group.administrator]: '/admins',
  [group.dealer]: '/dealers',
  [group.manager]: '/managers',
  [group.production]: '/productions',
}

t.test('no search of people finds somebody by what the one who searches may not see', async (t) => {
  const cabinet = await startCabinet(t, {
    environment: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com', TELEGRAM_BOT_TOKEN: 'x' },
  })
  const { app, cast, as } = cabinet
  const browsers = new Map(await Promise.all(actors.map(async (name) => [name, await as(name)] as const)))
  arrange(cabinet)
  const lists = app.routeTable.flatMap(({ method, url }) => (method === 'GET' && url.endsWith('/export') ? url.slice(0, -7) : []))
  const searches = [
    ...lists.map((path) => `${path}?q=`),
    ...['/find?q=', '/orders/dealers?q=', '/orders/dealers?mode=edit&q=', '/company/managers?q=', '/dealers/companies?q='],
    ...[`/managers/edit/${cast.maria}?tab=dealers&q=`, `/orders/${cast.order}/people?q=`],
    ...['/api/v1/dealers?q=', '/api/v1/companies?q=', '/api/v1/orders?q=', '/api/v1/payments?q='],
  ]
  t.ok(lists.length > 15, `${lists.length} lists`)
  const told = new Set<string>()
  for (const name of actors)
    t.test(name, async (t) => {
      const browser = browsers.get(name)
      const client = clientFor(cabinet, cast[name])
      const ask = async (path: string, text: string) => {
        const whole = path + encodeURIComponent(text)
        const answer = path.startsWith('/api/v1') ? await client.get(whole.slice('/api/v1'.length)) : await browser?.get(whole)
        return answer?.statusCode === 200 ? neutral(answer.body, text) : undefined
      }
      const planted = plantSecrets(cabinet, ({ id }) => `${id + 100}`)
      const shown = await pagesOf(cabinet, name)
      const wrong: string[] = []
      for (const isOutbox of [false, true]) {
        const mayKnow = planted.filter(({ text }) => shown(isOutbox).includes(text)).map(({ of, column }) => `${of} ${column}`)
        // Whatever must not be found has one text, so that one search asks for all of it.
        plantSecrets(cabinet, ({ id, column }) => (mayKnow.includes(`${id} ${column}`) ? '222' : '777'))
        for (const search of searches.filter((one) => one.startsWith('/outbox') === isOutbox)) {
          const nothing = await ask(search, 'zzqqzzqq')
          if (nothing === undefined) continue
          for (const column of secrets) {
            if ((await ask(search, texts[column]('777'))) !== nothing) wrong.push(`${search} tells ${column}`)
            if ((await ask(search, texts[column]('222'))) !== nothing) told.add(`${search} ${column}`)
          }
        }
      }
      t.same(wrong, [])
    })
  t.test('the searches find those who may be found', async (t) => {
    for (const path of ['/dealers', '/managers', '/productions', '/admins', '/outbox', '/find', '/api/v1/dealers'])
      t.ok(told.has(`${path}?q= email`), path)
  })

  /** What a person is shown somewhere; of the outbox its own rows, as who may not open a card reads addresses there. */
  async function pagesOf({ db }: Cabinet, name: Name) {
    const browser = browsers.get(name)
    const pages: string[] = []
    for (const { id, group_id } of db.select().from(users).all()) {
      const card = await browser?.get(`${cards[group_id]}/edit/${id}`)
      if (card?.statusCode === 200) pages.push(card.body)
    }
    for (const list of Object.values(cards)) pages.push((await browser?.get(`${list}?size=all`))?.body ?? '')
    const everywhere = pages.join('\n')
    const outbox = (await browser?.get('/outbox?size=100'))?.body ?? ''
    return (isOutbox: boolean) => everywhere + (isOutbox ? outbox : '')
  }
})

/** Mikhail has the list of dealers and Vera's card is not his; the clerk reads the outbox alone. */
function arrange({ db, cast }: Cabinet): void {
  grant(db, cast.clerk, 'order_can_view')
  for (const name of ['plain', 'admin'] as const) grant(db, cast[name], 'order_can_add', 'order_can_edit')
  revoke(db, cast.mikhail, 'dealer_manager_can_edit')
  grant(db, cast.maria, 'manager_can_view')
  grant(db, cast.pavel, 'production_can_view')
  const notification = (user_id: number, order_id: number, at: number) =>
    Number(
      db.insert(notifications).values({ user_id, order_id, event: 'payment-due', status_name: '', created_at: at }).run().lastInsertRowid,
    )
  for (const [user, channel] of [
    [cast.daria, 'email'],
    [cast.vera, 'telegram'],
    [cast.maria, 'email'],
    [cast.mikhail, 'telegram'],
  ] as const)
    db.insert(deliveries)
      .values({ notification_id: notification(user, cast.order, user), channel, next_at: Date.now() + 86_400_000, state: 'waiting' })
      .run()
}

/** Texts that nothing else contains, of people by a number of three digits. */
const texts: Record<Secret['column'], (number: string) => string> = {
  email: (number) => `canary${number}x`,
  phone: (number) => `+7(987) 65${number[0]} ${number.slice(1)} 43`,
  tg_id: (number) => `tele${number}gram`,
}

function plantSecrets({ db }: Cabinet, numberOf: (secret: { id: number; column: Secret['column'] }) => string): Secret[] {
  const textOf = (id: number, column: Secret['column']) => texts[column](numberOf({ id, column }))
  const ids = db.select({ id: users.id }).from(users).all()
  return ids.flatMap(({ id }) => {
    // No two people have the same address.
    const email = `${textOf(id, 'email')}${id}@example.com`
    db.update(users)
      .set({ email, phone: textOf(id, 'phone'), tg_id: textOf(id, 'tg_id') })
      .where(eq(users.id, id))
      .run()
    return secrets.map((column) => ({ of: id, column, text: textOf(id, column) }))
  })
}

/** The answer without what repeats the question or is new each time. */
function neutral(body: string, text: string): string {
  const repeated = [text, encodeURIComponent(text), new URLSearchParams({ q: text }).toString().slice(2), text.replaceAll('+', '&#43;')]
  const asked = repeated.reduce((rest, one) => rest.replaceAll(one, '?'), body)
  return asked
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '')
    .replace(/nonce[^ >]*/g, '')
    .replace(/"request_id":"[^"]*"/g, '')
}
