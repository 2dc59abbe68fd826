import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { fieldOf, parseHtml } from '../support/html.ts'

t.test(
  'of several words the names that begin with all of them come first, then those with a word that begins like the first',
  async (t) => {
    const { as, db } = await startCabinet(t)
    const root = await as('root')
    const names = ['Slim ultra', 'Windows "Ultra" slim', 'Superultra slim', 'Ultra slims of Kazan', 'Ultra wide, slim']
    db.insert(companies)
      .values(names.map((org) => ({ org })))
      .run()
    const find = async (q: string) => parseHtml((await root.get(`/find?q=${encodeURIComponent(q)}`)).body)
    const page = await find('ultra slim')
    const found = page('[data-found^=companies] a').toArray()
    t.same(
      found.map((hit) => page(hit).text()),
      ['Ultra slims of Kazan', 'Ultra wide, slim', 'Windows "Ultra" slim', 'Slim ultra', 'Superultra slim'],
      'of equals the newest',
    )
    db.insert(companies).values({ org: 'Ultra-slim' }).run()
    const more = (await find('ultra slim'))('#found p a').attr('href') as string
    t.equal(fieldOf(await root.get(more), 'q')?.value, 'ultra slim', 'all results are those of all that was typed')
  },
)
