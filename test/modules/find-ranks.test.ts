import t from 'tap'
import { companies, news } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
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

t.test('companies whose name begins so come first, whatever their legal form and quotation marks', async (t) => {
  const { as, db } = await startCabinet(t)
  for (const org of ['ООО «Рамы Севера»', 'ООО «Енисей Рамы»', 'ИП Рамы Балтики', 'ООО «Балтийские рамы»'])
    db.insert(companies).values({ org }).run()
  const root = await as('root')
  const found = async (q: string) => {
    const page = parseHtml((await root.get(`/find?q=${encodeURIComponent(q)}`)).body)
    return page('[data-found^=companies] a')
      .toArray()
      .map((hit) => page(hit).text())
  }
  t.same((await found('рамы')).slice(0, 2), ['ИП Рамы Балтики', 'ООО «Рамы Севера»'])
  t.equal((await found('рамы севера'))[0], 'ООО «Рамы Севера»')
  t.equal((await found('ООО «Рамы'))[0], 'ООО «Рамы Севера»')
})

t.test('what is called so comes before the records that only have the word, and everyday words find pages and settings', async (t) => {
  const { as, db } = await startCabinet(t)
  db.insert(news).values({ name: 'Как оформить заказ', description: '<p>Тема: заказы</p>', published: true }).run()
  const titles = async (name: Name, q: string) => {
    const $ = parseHtml((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, { 'accept-language': 'ru' })).body)
    return $('#found section h2')
      .toArray()
      .map((heading) => $(heading).text())
  }
  const first = async (name: Name, q: string) => {
    const $ = parseHtml((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, { 'accept-language': 'ru' })).body)
    return $('#found li')
      .toArray()
      .map((hit) => $(hit).attr('data-found'))
  }
  t.same((await titles('root', 'заказ')).slice(0, 2), ['Действия', 'Страницы'])
  t.equal((await titles('root', 'заказ')).at(-1), 'Новости')
  t.equal((await first('root', 'заказ'))[0], 'page-/orders/add')
  t.equal((await first('root', 'тема'))[0], 'command-/preferences-light')
  for (const q of ['почта', 'email']) t.ok((await first('root', q)).includes('page-/outbox'), q)
  t.ok((await first('root', 'почта')).includes('command-/settings?tab=environment'))
  t.ok((await first('denis', 'почта')).includes('command-/profile#mail_statuses'))
  t.notOk((await first('denis', 'почта')).includes('page-/outbox'), 'only what one may open')
  t.equal((await first('denis', 'уведомления'))[0], 'page-/notifications')
  t.ok((await first('denis', 'долг')).includes('page-/ledger'))
  t.ok((await first('root', 'долг')).includes('page-/companies?debt=1'))
  t.ok((await first('root', 'корзина')).includes('page-/bin'))
})

t.test('records of a kind whose name is asked for come before those that only have it', async (t) => {
  const { as } = await startCabinet(t)
  const kinds = async (q: string) => {
    const $ = parseHtml((await (await as('root')).get(`/find?q=${encodeURIComponent(q)}`)).body)
    return $('#found section h2')
      .toArray()
      .map((heading) => $(heading).text())
  }
  t.same(await kinds('alpha windows'), ['Companies', 'Orders', 'Dealers'], 'orders and dealers are those of the company')
  t.same(await kinds('бета ёлка'), ['Companies', 'Dealers'], 'whatever comes before its own name')
  t.equal((await kinds('denisov'))[0], 'Dealers')
})

t.test('every place is found by everyday words, in English and by the words of Russian readers', async (t) => {
  const { as } = await startCabinet(t)
  const pages = async (name: Name, q: string) => {
    const $ = parseHtml((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, { 'accept-language': 'ru' })).body)
    return $('#found [data-found^=page-]')
      .toArray()
      .map((hit) => $(hit).attr('data-found')?.slice('page-'.length))
  }
  const words = {
    '/': ['home', 'домой'],
    '/news': ['announcements', 'объявления'],
    '/orders': ['requests', 'заявки', 'продажи'],
    '/orders/board': ['board', 'доска', 'kanban'],
    '/orders/drafts': ['drafts', 'черновики'],
    '/ledger': ['balance', 'баланс'],
    '/ledger/balances': ['balances', 'сальдо'],
    '/managers': ['employees', 'сотрудники', 'пользователи'],
    '/manufactures': ['factories', 'завод'],
    '/categories': ['groups', 'группы'],
    '/jobs': ['queue', 'очередь'],
    '/settings': ['options', 'параметры'],
    '/activity': ['log', 'логи'],
    '/shortcuts': ['hotkeys', 'клавиши'],
  }
  for (const [path, all] of Object.entries(words)) for (const word of all) t.ok((await pages('root', word)).includes(path), word)
  t.notOk((await pages('denis', 'сальдо')).includes('/ledger/balances'), 'only what one may open')
  t.notOk((await pages('root', '')).includes('/shortcuts'), 'before anything is typed, only the menu')
})
