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
  const planted = plantSecrets(cabinet)
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
      const shown = await pagesOf(cabinet, name)
      const wrong: string[] = []
      for (const search of searches) {
        const nothing = await ask(search, 'zzqqzzqq')
        if (nothing === undefined) continue
        for (const { of, column, text } of planted) {
          if ((await ask(search, text)) === nothing) continue
          told.add(search)
          if (!shown(search).includes(text)) wrong.push(`${search} tells ${column} of ${of}`)
        }
      }
      t.same(wrong, [])
    })
  t.test('the searches find those who may be found', async (t) => {
    for (const path of ['/dealers', '/managers', '/productions', '/admins', '/outbox', '/find', '/api/v1/dealers'])
      t.ok(told.has(`${path}?q=`), path)
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
    return (search: string) => everywhere + (search.startsWith('/outbox') ? outbox : '')
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

/** Texts that nothing else contains. */
function plantSecrets({ db }: Cabinet): Secret[] {
  return db
    .select({ id: users.id })
    .from(users)
    .all()
    .flatMap(({ id }) => {
      const number = String(id).padStart(3, '0')
      const texts = {
        email: `canary${number}x@example.com`,
        phone: `+7(987) 65${number[0]} ${number.slice(1)} 43`,
        tg_id: `tele${number}gram`,
      }
      db.update(users).set(texts).where(eq(users.id, id)).run()
      return secrets.map((column) => ({ of: id, column, text: texts[column] }))
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
