import { eq, lt } from 'drizzle-orm'
import t from 'tap'
import { addDays } from '../../src/core/days.ts'
import { companies, orders } from '../../src/database/schema/index.ts'
import { today } from '../../src/i18n/format.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, parseHtml, textOf, totalOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

t.test(
  'somebody in production sees at home what is late, what is to be made today and this week, and what is to be delivered',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { db, cast, as } = cabinet
    const pavel = await as('pavel')
    db.update(companies).set({ manufacture_id: cast.site }).where(eq(companies.id, cast.companies.alpha)).run()
    db.delete(orders).run()
    t.equal(elementsOf((await pavel.get('/')).body, '.tile').length, 0, 'nothing counts to zero before the first order')
    const [day, sunday] = [today(), addDays(today(), (7 - new Date(today()).getUTCDay()) % 7)]
    const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
    const inProduction = (date_make: string) => insertOrder(cabinet, 'production', { ...of, date_make })
    for (const date of [addDays(day, -1), addDays(day, -1)]) inProduction(date)
    t.equal(elementsOf((await pavel.get('/')).body, '.tile').length, 0, 'what is late begins the queue: nothing counts it alone above')
    for (const date of [day, addDays(sunday, 1)]) inProduction(date)
    insertOrder(cabinet, 'delivery', { ...of, date_make: addDays(day, -9), date_delivery: sunday })
    insertOrder(cabinet, 'delivery', { ...of, date_make: addDays(day, -9), date_delivery: addDays(sunday, 1) })
    insertOrder(cabinet, 'new', { ...of, date_delivery: day })
    insertOrder(cabinet, 'production', { dealer_id: cast.vera, company_id: cast.companies.beta, date_make: day })
    const { body } = await pavel.get('/')
    const $ = parseHtml(body)
    const tiles = $('.tile').toArray()
    t.same(elementsOf(body, '.tile').map(textOf), [
      'To make today 1',
      'To make this week 1 besides what is overdue',
      'To deliver this week 1',
    ])
    for (const tile of tiles) {
      const list = await pavel.get($(tile).find('a').attr('href') as string)
      t.equal(String(totalOf(list, 'orders')), $(tile).find('.tile-number').text(), 'its list has as many')
    }
    db.delete(orders).where(lt(orders.date_make, day)).run()
    t.equal(
      textOf(elementsOf((await pavel.get('/')).body, '.tile').join()),
      'To make today 1 , To make this week 1',
      'where nothing is overdue',
    )
    const first = $('main .card').first()
    t.ok(first.is('.figures'), 'above what is to be done')
  },
)
