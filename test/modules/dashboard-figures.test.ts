import { eq } from 'drizzle-orm'
import t from 'tap'
import { policyKeys } from '../../src/core/policies.ts'
import { companies, orders, policies, accessRequests as requests } from '../../src/database/schema/index.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant, type Name, names } from '../support/cast.ts'
import { elementsOf, parseHtml, textOf, totalOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

const day = 24 * 3600_000
const dayOf = (moment: number) => new Date(moment).toLocaleDateString('sv')
const digits = (text: string) => Number(text.replace(/\D/g, ''))

/** Orders of every status, owner and age, some of them late, without a date, without a status or without anybody. */
function seedOrders(cabinet: Cabinet): void {
  const { db, cast } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, beta)).run()
  const owners = [
    { dealer_id: cast.denis, company_id: alpha },
    { dealer_id: cast.daria, company_id: beta },
    { dealer_id: cast.vera, company_id: beta },
    { dealer_id: cast.roman, company_id: alpha },
    { company_id: nobodys },
    {},
  ]
  const statuses = ['new', 'apply', 'payment', 'paid', 'production', 'delivery', 'pickup', 'completed', 'canceled']
  for (let number = 0; number < 240; number++) {
    const date = number % 5 === 0 ? null : dayOf(Date.now() + ((number % 7) - 3) * day)
    const values = { ...owners[number % 6], cost: number * 1000_00, date_make: date, date_delivery: date }
    insertOrder(cabinet, statuses[number % 9] as string, { ...values, created_at: Date.now() - (number % 70) * day })
  }
  db.insert(orders).values({ dealer_id: cast.denis, company_id: alpha }).run()
  const [policy] = db.select().from(policies).where(eq(policies.key, 'company_can_view')).all()
  for (const user_id of [cast.maria, cast.clerk])
    db.insert(requests)
      .values({ user_id, policy_id: policy?.id as number, note: '', created_at: Date.now() } as never)
      .run()
}

interface Figure {
  label: string
  text: string
  href: string
}

const figureSelectors = [
  '.tile',
  '.tile-comparison',
  '.dashboard-card header',
  '.pipeline-stages tbody tr',
  '.chart [role=row]',
  '.pending-task',
  '.menu-views li',
]

/** Every number of a dashboard with the link beside it. */
function figuresOf(html: string): Figure[] {
  const figures = figureSelectors.flatMap((selector) => elementsOf(html, selector).map((source) => [selector, source] as const))
  return figures.flatMap(([selector, source]) => {
    const $ = parseHtml(source)
    const number = $('.tile-number, .count, .menu-count, strong, title').first()
    const said = selector === '.tile-comparison' ? ($('a').attr('title') ?? '') : number.text()
    const text = said.split(': ').at(-1) as string
    return /\d/.test(text) ? [{ label: textOf(source), text, href: $('a').attr('href') ?? '' }] : []
  })
}

/** The other curve, for whoever has it. */
async function figuresOfAmounts(browser: Browser): Promise<Figure[]> {
  const { body } = await browser.get('/?chart=amount')
  return elementsOf(body, '.chart[aria-label="Amounts by week"]').flatMap(figuresOf)
}

/** What the place that a figure leads to shows of it: rows, or what they cost where it is money. */
async function shownAt(browser: Browser, { text, href }: Figure): Promise<number | undefined> {
  const size = text.includes('₽') ? 'all' : '25'
  const list = await browser.get(`${href}${href.includes('?') ? '&' : '?'}size=${size}`)
  if (href.startsWith('/rights')) return elementsOf(list.body, 'tr[id^=requests-]').length
  if (!text.includes('₽')) return totalOf(list, /^\/(\w+)/.exec(href)?.[1] as string)
  const costs = elementsOf(list.body, 'tr [data-kopecks]').map((cell) => Number(/data-kopecks="(\d+)"/.exec(cell)?.[1]))
  return Math.floor(costs.reduce((sum, cost) => sum + cost, 0) / 100)
}

t.test('figures on dashboards', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db, as } = cabinet
  seedOrders(cabinet)
  const everybody = names.filter((name) => name !== 'ivan')

  async function check(name: Name): Promise<Figure[]> {
    const browser = await as(name)
    const { body } = await browser.get('/')
    const figures = [...figuresOf(body), ...(await figuresOfAmounts(browser))]
    for (const figure of figures) t.equal(await shownAt(browser, figure), digits(figure.text), `${name}: ${figure.label}`)
    const parts = elementsOf(body, '.chart a, .pipeline-stages a').map((link) => parseHtml(link)('a').attr('href'))
    t.equal(new Set(parts).size, parts.length, `${name}: each part of a chart leads elsewhere`)
    return figures
  }

  t.test('each figure and each part of a chart leads to a list of exactly that many rows, for every user', async (t) => {
    const counted = new Map<Name, number>()
    for (const name of everybody) counted.set(name, (await check(name)).filter(({ text }) => digits(text) > 0).length)
    // How many weeks of a chart have orders depends on the day of the week.
    for (const [name, least] of [
      ['root', 40],
      ['maria', 32],
      ['pavel', 5],
      ['denis', 2],
    ] as const)
      t.ok((counted.get(name) ?? 0) >= least, `${name} reads ${counted.get(name)} figures`)
  })

  t.test('figures match their lists for users with all permissions or with order_can_view', async () => {
    for (const name of ['clerk', 'admin', 'plain', 'pavel'] as const) grant(db, cast[name], 'order_can_view')
    grant(db, cast.mikhail, ...policyKeys)
    for (const name of ['clerk', 'admin', 'plain', 'pavel', 'mikhail'] as const) await check(name)
  })
})
