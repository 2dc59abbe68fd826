import type { Element } from 'domhandler'
import t from 'tap'
import type { Answer } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'
import { people, startMarked } from '../support/marked.ts'

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
    ...of('.pipeline-stages strong').flatMap((one) => figure(one, $(one).parent().find('a') as never)),
    ...of('.board-column h2 .count').flatMap((one) => figure(one, $(one).parent().find('a') as never)),
    ...of('a .count').flatMap((one) => figure(one, $(one).closest('a') as never)),
    ...of('.card-header h2 .count').flatMap((one) => figure(one, $(one).closest('header').find('a') as never)),
    ...of('.pending-task strong').flatMap((one) => figure(one, $(one).closest('p').find('a') as never)),
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
  const lists = [...cabinet.app.deletions.keys()].map((list) => `/${list}`)
  for (const path of [...lists, '/notifications', '/activity', '/bin', '/security-log', '/outbox'])
    for (const query of ['', '?size=all', '?q=o', '?q=zq', '?size=10', '?page=2', '?page=999']) {
      const answer = await browser.get(path + query)
      const $ = parseHtml(answer.body)
      const total = totalIn(answer)
      if (total === undefined) continue
      const rows = $('section[data-total] tbody tr[id]').length
      const said = $('.list-footer .range').text().match(/\d+/g)?.map(Number) ?? []
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
