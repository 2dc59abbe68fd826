import t from 'tap'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { pagesOf } from '../support/every-page.ts'
import { controlsOf, textOf, totalOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'
import { setTimeZone } from '../support/time-zone.ts'

/**
 * Of ten days ago or more, which is longer than moments are told as so many days ago, at a minute that it is not now, and in the middle
 * of a week, as charts show where weeks begin and end: nothing else on a page looks like it.
 */
function momentAt(hour: number): Date {
  const moment = new Date()
  moment.setDate(moment.getDate() - 10)
  while (moment.getDay() < 3 || moment.getDay() > 5) moment.setDate(moment.getDate() - 1)
  moment.setHours(hour, (moment.getMinutes() + 30) % 60, 0, 0)
  return moment
}

/** What has to do with who is signed in stays as it is. */
const present = new Set([
  'sessions',
  'submissions',
  'pending_submissions',
  'rate_hits',
  'sign_in_failures',
  'password_resets',
  'recovery_codes',
])

/** Everything that ever happened, happened then. */
function moveEverything({ db }: Cabinet, moment: Date): void {
  const { $client: client } = db
  client.exec('drop trigger security_events_update')
  const tables = client.prepare("select name from pragma_table_list where schema = 'main' and type = 'table'").pluck().all() as string[]
  for (const table of tables.filter((name) => !present.has(name))) {
    const columns = client.prepare('select name from pragma_table_info(?)').pluck().all(table) as string[]
    for (const column of columns.filter((name) => /^(at|\w+_at|status_since|last_auth|publishedon)$/.test(name)))
      client.prepare(`update ${table} set ${column} = ? where ${column} > 0`).run(moment.getTime())
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept?', 'Oct', 'Nov', 'Dec']

/** Every way in which a page spells a day. */
function spellingsOf(day: string): RegExp {
  const [year, month, date] = day.split('-') as [string, string, string]
  return new RegExp(`${day}|${date}\\.${month}\\.${year}|(?<!\\d)${Number(date)}\\s${months[Number(month) - 1]}\\b`)
}

function shownOn(body: string): string {
  return [textOf(body), ...controlsOf(body).map(({ value }) => value)].join('\n')
}

// At these hours it is another day in Greenwich, where servers often are.
for (const [zone, hour] of [
  ['Asia/Vladivostok', 5],
  ['America/Los_Angeles', 20],
] as const)
  t.test(`every page shows days and times of the zone ${zone}`, async (t) => {
    setTimeZone(t, zone)
    const cabinet = await startCabinet(t)
    insertOrder(cabinet, 'new')
    await cabinet.as('maria')
    const addresses = pagesOf(cabinet)
    const moment = momentAt(hour)
    moveEverything(cabinet, moment)
    const [day, time] = moment.toLocaleString('sv').slice(0, 16).split(' ') as [string, string]
    const [wrongDay, wrongTime] = moment.toISOString().slice(0, 16).split('T') as [string, string]
    const root = await cabinet.as('root')
    const dated: string[] = []
    for (const address of addresses) {
      const shown = shownOn((await root.get(address)).body)
      t.notMatch(shown, spellingsOf(wrongDay), `${address} shows no day of Greenwich`)
      t.notMatch(shown, new RegExp(`(?<![\\d:])${wrongTime}(?![\\d:])`), `${address} shows no time of Greenwich`)
      if (spellingsOf(day).test(shown)) dated.push(address.split('?')[0] as string)
    }
    const expected = ['/orders', '/security-log', '/notifications', '/outbox', '/bin', '/news', '/orders/1', '/dealers']
    t.same(
      expected.filter((address) => !dated.includes(address)),
      [],
      `pages that show the day, ${day} ${time}`,
    )
    const ordersOf = async (day: string) => totalOf(await root.get(`/orders?created_from=${day}&created_until=${day}`), 'orders')
    t.equal(await ordersOf(day), totalOf(await root.get('/orders'), 'orders'), 'a filter finds what happened that day')
    t.equal(await ordersOf(wrongDay), 0, 'and nothing on the day of Greenwich')
  })
