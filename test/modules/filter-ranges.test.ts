import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { idsOf, parseHtml } from '../support/html.ts'
import { at } from '../support/later.ts'
import { insertEntry } from '../support/ledger.ts'
import { insertOrder } from '../support/orders.ts'

const noon = (year: number, month: number, day: number) => new Date(year, month - 1, day, 12).getTime()

t.test('filters by a range', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, as, db } = cabinet
  const root = await as('root')
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const pageOf = async (path: string) => parseHtml((await root.get(path)).body)
  const textsOf = ($: ReturnType<typeof parseHtml>, selector: string) =>
    $(selector)
      .toArray()
      .map((one) => $(one).text().replace(/\s+/g, ' ').trim())

  t.test('each property that an order is narrowed by has one row, a range in it both ends', async (t) => {
    const $ = await pageOf('/orders?choose=filters')
    const names = textsOf($, '.filter-row > .filter-name')
    t.equal(new Set(names).size, names.length)
    t.match(names.join(), /Created,Production date,Delivery date,Payment date,Cost$/)
    const ends = $('.filter-row:has(.filter-range)')
      .toArray()
      .map((row) =>
        $(row)
          .find('input')
          .toArray()
          .map(({ attribs }) => attribs.name?.replace(/.*_/, ''))
          .join(),
      )
    t.same(new Set(ends), new Set(['from,until']))
    t.equal($('.filter-flags a').length, 5, 'what is on or off is one row')
  })

  t.test('links ask for seven days, for this month and for this quarter: back for what was, ahead for what is planned', async (t) => {
    const presets = async (path: string, row: string) => {
      const $ = await pageOf(path)
      const links = $(`.filter-range:has(input[name=${row}]) .filter-presets a`).toArray()
      return links.map(({ attribs }) =>
        [...new URL(attribs.href ?? '', 'http://x').searchParams]
          .filter(([name]) => name !== 'q')
          .flat()
          .join(' '),
      )
    }
    insertEntry(db, cast.companies.alpha)
    await at(noon(2026, 2, 3), async () => {
      t.same(await presets('/orders?overdue=1&created_from=2020-01-01&choose=filters', 'created_from'), [
        'overdue 1 created_from 2026-01-28 created_until 2026-02-03',
        'overdue 1 created_from 2026-02-01 created_until 2026-02-28',
        'overdue 1 created_from 2026-01-01 created_until 2026-03-31',
      ])
      t.same((await presets('/orders?choose=filters', 'date_make_from'))[0], 'date_make_from 2026-02-03 date_make_until 2026-02-09')
      t.same(await presets('/ledger?from=2020-01-01', 'from'), [
        'from 2026-01-28 until 2026-02-03',
        'from 2026-02-01 until 2026-02-28',
        'from 2026-01-01 until 2026-03-31',
      ])
      const chosen = await pageOf('/ledger?from=2026-02-01&until=2026-02-28')
      t.same(textsOf(chosen, '.filter-presets [aria-current]'), ['This month'])
      t.same(textsOf(await pageOf('/ledger?from=2026-02-01&until=2026-02-27'), '.filter-presets [aria-current]'), [])
    })
    await at(noon(2025, 12, 31), async () => {
      t.same(
        (await presets('/ledger?from=2020-01-01', 'from'))[2],
        'from 2025-10-01 until 2025-12-31',
        'the last quarter ends with its year',
      )
    })
    t.equal((await pageOf('/orders?choose=filters'))('.filter-range:has(input[name=cost_from]) .filter-presets').length, 0)
  })

  t.test('both ends are one filter that is taken off at once, and are filled in where they are changed', async (t) => {
    const ids = [1, 2, 3].map((day) => insertOrder(cabinet, 'new', { ...of, created_at: noon(2026, 3, day) }))
    const found = async (query: string) => idsOf(await root.get(`/orders?${query}`), 'orders')
    t.same(await found('created_from=2026-03-02&created_until=2026-03-02'), [ids[1]])
    const tags = async (query: string) =>
      textsOf(await pageOf(`/orders?${query}`), 'a.tag').map((text) => text.replace(' Remove filter', ''))
    t.same(await tags('created_from=2026-03-02&created_until=2026-03-03'), ['Created: 02.03.2026 – 03.03.2026'])
    t.same(await tags('created_until=2026-03-03'), ['Created: to 03.03.2026'])
    t.same(await tags('cost_until=7'), ['Cost: at most 7'])
    const $ = await pageOf('/orders?created_from=2026-03-02&created_until=2026-03-03&open=1')
    t.equal($('a.tag:contains("Created")').attr('href'), '/orders?open=1')
    t.same(
      $('input[type=hidden][form=orders-search][name^=created]')
        .toArray()
        .map(({ attribs }) => attribs.value),
      ['2026-03-02', '2026-03-03'],
      'a search keeps them',
    )
    const opened = await pageOf('/orders?created_from=2026-03-02&choose=filters')
    const fields = opened('[name^=created_][form=orders-search]').toArray()
    t.same(
      fields.map(({ attribs }) => [attribs.type, attribs.value]),
      [
        ['date', '2026-03-02'],
        ['date', undefined],
      ],
      'once, in the field',
    )
    const period = await pageOf('/activity?until=2026-03-03')
    t.equal(period('details[id=activity-from-range] input[name=until]').attr('value'), '2026-03-03')
    t.equal(period('a.tag').attr('href'), '/activity')
  })

  t.test('several filters are taken off by one link, which keeps search, order and status', async (t) => {
    const clear = async (query: string) => (await pageOf(`/orders?${query}`))('#orders-clear-filters').attr('href')
    t.equal(await clear('q=a&status=1&sort=cost&dir=asc&overdue=1&created_from=2026-03-02'), '/orders?q=a&status=1&sort=cost&dir=asc')
    t.equal(await clear('status=1&overdue=1'), undefined, 'one has a cross of its own')
  })
})
