import type { Element } from 'domhandler'
import t from 'tap'
import { orders } from '../../src/database/schema/index.ts'
import { deletionsOf } from '../../src/records/kind/registry.ts'
import type { Answer } from '../support/cabinet.ts'
import { daysAgo } from '../support/days.ts'
import { parseHtml } from '../support/html.ts'
import { type MarkedCabinet, people, startMarked } from '../support/marked.ts'
import { statusId } from '../support/orders.ts'

interface Figure {
  label: string
  shown: string
  address: string
}

const numberIn = (text: string) => Number(text.replace(/[^\d]/g, ''))

/** Numbers beside a link to what they count. */
function figuresOf({ body }: Answer): Figure[] {
  const $ = parseHtml(body)
  const figure = (element: Element, link: ReturnType<typeof $>) => {
    const [target] = link.toArray() as Element[]
    return target ? [{ label: link.first().text().trim(), shown: $(element).text().trim(), address: target.attribs.href ?? '' }] : []
  }
  const of = (selector: string) => $<Element, string>(selector).toArray()
  return [
    ...of('.tile-number').flatMap((one) => figure(one, $(one).closest('.tile').find('h2 a') as never)),
    ...of('.pipeline-stages strong').flatMap((one) => figure(one, $(one).closest('tr').find('a') as never)),
    ...of('.board-column h2 .count').flatMap((one) => figure(one, $(one).parent().find('a') as never)),
    ...of('a .count').flatMap((one) => figure(one, $(one).closest('a') as never)),
    ...of('.card-header h2 .count').flatMap((one) => figure(one, $(one).closest('header').find('a') as never)),
    ...of('.pending-task strong').flatMap((one) => figure(one, $(one).closest('.pending-task').find('a') as never)),
    ...of('.record-tabs .count, .card-header-tabs .count').flatMap((one) => figure(one, $(one).closest('a') as never)),
  ]
}

const totalIn = ({ body }: Answer) => {
  const total = parseHtml(body)('section[data-total]').first().attr('data-total')
  return total === undefined ? undefined : Number(total)
}

const starts = [
  '/',
  '/orders',
  '/orders/board',
  '/orders?waiting=1',
  '/dealers',
  '/companies',
  '/notifications',
  '/news',
  '/managers',
  '/outbox',
]

t.test('every number leads to a list of as many records', async (t) => {
  const cabinet = await startMarked(t)
  let counted = 0
  for (const name of people)
    t.test(name, async (t) => {
      const browser = cabinet.browserOf(name)
      const cards = [`/company/edit/${cabinet.cast.companies.alpha}`, `/dealers/edit/${cabinet.cast.denis}`]
      const wrong: string[] = []
      const totals = new Map<string, number | undefined>()
      for (const start of [...starts, ...cards]) {
        const page = await browser.get(start)
        if (page.statusCode !== 200) continue
        for (const { label, shown, address } of figuresOf(page)) {
          if (!totals.has(address)) totals.set(address, totalIn(await browser.get(address)))
          const total = totals.get(address)
          if (total === undefined || label.match(/rubles|Revenue|₽/) || /₽|RUB/.test(shown)) continue
          counted++
          if (numberIn(shown) !== total) wrong.push(`${start}: “${label}” says ${shown}, ${address} lists ${total}`)
        }
      }
      t.same(wrong, [])
    })
  t.test('enough was counted', async (t) => {
    t.ok(counted > 60, `${counted} numbers`)
    t.comment(`${counted} numbers`)
  })
})

t.test('a list says how many there are, from which to which, and ends where they end', async (t) => {
  const cabinet = await startMarked(t)
  const browser = cabinet.browserOf('root')
  const wrong: string[] = []
  const lists = deletionsOf(cabinet.app).map(({ list }) => `/${list.name}`)
  for (const path of [...lists, '/notifications', '/activity', '/bin', '/security-log', '/record-views', '/outbox'])
    for (const query of ['', '?size=all', '?q=o', '?q=zq', '?size=10', '?page=2', '?page=999']) {
      const answer = await browser.get(path + query)
      const $ = parseHtml(answer.body)
      const total = totalIn(answer)
      if (total === undefined) continue
      const rows = $('section[data-total] tbody tr[id]').length
      const paged = $('nav[data-pages]').length > 0
      const said = paged ? ($('.list-footer .range').text().match(/\d+/g)?.map(Number) ?? []) : [1, rows, total]
      const heading = $('.title-count').first().text().trim()
      const where = `${path}${query} (${rows} rows, total ${total})`
      if (heading && Number(heading) !== total) wrong.push(`${where}: the heading says ${heading}`)
      if (total === 0 ? rows !== 0 : rows === 0) wrong.push(`${where}: says ${total}`)
      if (rows > 0 && (said[2] !== total || (said[1] as number) - (said[0] as number) + 1 !== rows)) wrong.push(`${where}: says ${said}`)
      if (query === '?size=all' && rows !== total) wrong.push(`${where}: all are ${rows}`)
      const next = $('nav[data-pages] a[rel=next]').length
      if (rows > 0 && next > 0 !== (said[1] as number) < total) wrong.push(`${where}: ${next} next pages after ${said}`)
    }
  t.same(wrong, [])
})

/** Days of a month by the clock of the service, as milliseconds. */
const momentOf = (month: number, date: number) => new Date(new Date().getFullYear(), new Date().getMonth() + month, date).getTime()

/** Orders on both sides of every boundary that a figure has. */
function plantBoundaries({ db, cast }: MarkedCabinet) {
  const now = Date.now()
  const days = new Date(momentOf(0, 0)).getDate()
  const sameDay = momentOf(-1, Math.min(new Date().getDate(), days) + 1)
  const created = [momentOf(0, 1), momentOf(0, 1) - 1, momentOf(-1, 1), momentOf(-1, 1) - 1, sameDay - 1, sameDay]
  const waiting = [daysAgo(13) - 1, daysAgo(13)]
  const today = new Date(now).toLocaleDateString('sv')
  const yesterday = new Date(now - 24 * 3600_000).toLocaleDateString('sv')
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const others = { dealer_id: cast.daria, company_id: cast.companies.beta }
  const at = (key: string) => ({ status_id: statusId(key) ?? null })
  let cost = 1_000_01
  const add = (values: object) =>
    db
      .insert(orders)
      .values({ created_at: now, status_since: now, cost: cost++, ...of, ...values })
      .run()
  for (const created_at of created) for (const owner of [of, others]) add({ ...owner, ...at('completed'), created_at })
  for (const since of waiting)
    for (const key of ['new', 'production', 'completed', 'canceled']) add({ ...at(key), created_at: since, status_since: since })
  add({ ...at('new'), created_at: now - 30 * 24 * 3600_000 })
  for (const key of ['new', 'production', 'delivery', 'completed'])
    for (const date of [today, yesterday])
      for (const owner of [of, others]) add({ ...owner, ...at(key), date_make: date, date_delivery: date })
}

t.test('tiles, stages, columns of the board, turnover and badges are what a plain query over the same orders says', async (t) => {
  const cabinet = await startMarked(t)
  plantBoundaries(cabinet)
  const { db, cast } = cabinet
  const { alpha, beta, nobodys } = cast.companies
  const visible: Record<string, string> = {
    root: 'true',
    admin: 'true',
    clerk: 'true',
    maria: `owner_company_id = ${alpha}`,
    mikhail: `owner_company_id = ${beta}`,
    plain: 'false',
    pavel: `owner_company_id = ${alpha}`,
    denis: `owner_company_id = ${alpha}`,
    daria: `owner_company_id = ${beta}`,
  }
  const one = (query: string) => db.$client.prepare(`select ${query}`).pluck().get() as number
  const open = 'status_id in (select parent_status_id from status_transitions)'
  const entered = (date: string) =>
    `status_id in (select child_status_id from status_transitions, json_each(required_fields) where value = '${date}')`
  const today = new Date().toLocaleDateString('sv')
  const lastDay = Math.min(new Date().getDate(), new Date(momentOf(0, 0)).getDate())
  const thisMonth = `created_at >= ${momentOf(0, 1)} and created_at < ${momentOf(0, new Date().getDate() + 1)}`
  const lastMonth = `created_at >= ${momentOf(-1, 1)} and created_at < ${momentOf(-1, lastDay + 1)}`
  const sold = "status_id is null or status_id not in (select id from statuses where due = 'ends')"
  const rubles = (kopecks: number) => Math.round(kopecks / 100)
  const late = `((${entered('date_make')}) and date_make < '${today}' or (${entered('date_delivery')}) and date_delivery < '${today}')`
  const sunday = `date('${today}', 'weekday 0')`
  const making = "status_id = (select id from statuses where status_key = 'production')"
  const released = `"index" >= (select "index" from statuses where status_key = 'production')`
  const delivering = `${open} and status_id in (select id from statuses where ${released})`
  for (const name of people)
    t.test(name, async (t) => {
      const browser = cabinet.browserOf(name)
      const mine = visible[name] as string
      const counted = (where: string) => one(`count(*) from orders where ${mine} and ${where}`)
      const $ = parseHtml((await browser.get('/')).body)
      const tiles = Object.fromEntries(
        $('.tile')
          .toArray()
          .map((tile) => [$(tile).find('h2').text().trim(), $(tile)]),
      )
      const expected: Record<string, number> = {
        'Orders this month': counted(`(${sold}) and ${thisMonth}`),
        'Revenue this month': rubles(one(`sum(cost) from orders where ${mine} and (${sold}) and ${thisMonth}`)),
        'No progress': counted(`${open} and status_since < ${daysAgo(13)}`),
        Overdue: counted(late),
        'To make today': counted(`${making} and date_make = '${today}'`),
        'To make this week': counted(`${making} and date_make between '${today}' and ${sunday}`),
        'To deliver this week': counted(`${delivering} and date_delivery between '${today}' and ${sunday}`),
        'Not sent': counted('status_id = (select id from statuses order by "index" limit 1)'),
      }
      const before: Record<string, number> = {
        'Orders this month': counted(`(${sold}) and ${lastMonth}`),
        'Revenue this month': rubles(one(`sum(cost) from orders where ${mine} and (${sold}) and ${lastMonth}`)),
      }
      for (const [label, tile] of Object.entries(tiles)) {
        if (label !== 'Waiting for you') t.equal(numberIn(tile.find('.tile-number').text()), expected[label], label)
        const compared = tile.find('.tile-comparison a').attr('title') ?? ''
        if (label in before) t.equal(numberIn(compared.split(': ').at(-1) ?? ''), before[label], `${label}: ${compared.trim()}`)
      }
      if (['root', 'clerk'].includes(name)) t.ok(Object.keys(tiles).length >= 4, 'administrators have tiles')
      for (const item of $('.pipeline-stages tbody tr').toArray()) {
        const [, status] = /status=(\d+)/.exec($(item).find('a').attr('href') ?? '') ?? []
        t.equal(numberIn($(item).find('strong').text()), counted(`status_id = ${status}`), `stage ${status}`)
      }
      const board = parseHtml((await browser.get('/orders/board')).body)
      for (const column of board('.board-column').toArray()) {
        const status = Number(column.attribs['data-status'])
        t.equal(numberIn(board(column).find('h2 .count').text()), counted(`status_id = ${status}`), `column ${status} of the board`)
        const cards = board(column)
          .find('[data-order]')
          .toArray()
          .map((card) => [Number(card.attribs['data-order']), board(card).find('[data-kopecks]').attr('data-kopecks') ?? null])
        const [cost, first] = name === 'pavel' ? ['null', 'date_make nulls last'] : ['cast(cost as text)', 'status_since']
        const isFinal = one(`count(*) from status_transitions where parent_status_id = ${status}`) === 0
        const lately = isFinal ? `and status_since >= ${daysAgo(30)}` : ''
        const order = isFinal ? 'status_since desc, id desc' : `${first}, id`
        const longest = db.$client
          .prepare(`select id, ${cost} from orders where ${mine} and status_id = ? ${lately} order by ${order} limit 10`)
          .raw()
          .all(status)
        t.same(cards, longest, `the cards of column ${status} with what they cost`)
      }
      for (const company of [alpha, beta, nobodys]) {
        const card = await browser.get(`/company/edit/${company}`)
        const shown = parseHtml(card.body)('.record-facts #turnover').attr('data-kopecks')
        if (card.statusCode === 200 && shown !== undefined)
          t.equal(
            Number(shown),
            one(`ifnull(sum(cost), 0) from orders where ${mine} and (${sold}) and owner_company_id = ${company}`),
            `turnover of company ${company}`,
          )
      }
    })
})
