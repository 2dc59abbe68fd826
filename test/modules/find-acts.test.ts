import { eq } from 'drizzle-orm'
import t from 'tap'
import { saysAll } from '../../src/core/says-all.ts'
import { orders } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { grant, type Name, revoke } from '../support/cast.ts'
import { elementById, parseHtml, textOf } from '../support/html.ts'
import { insertOrder, orderOf, setOrder, statusId, transitionBetween } from '../support/orders.ts'

function sectionOf(body: string, title: string) {
  const $ = parseHtml(body)
  const section = $('#found section').filter((_, one) => $(one).find('h2').text() === title)
  return section
    .find('li')
    .toArray()
    .map((hit) => ({
      name: $(hit).find('a').text(),
      href: $(hit).find('a').attr('href'),
      asked: $(hit).find('a').attr('hx-get'),
      status: $(hit).find('.order-status').first().text().trim(),
      to: $(hit).find('.hit-to').text().trim(),
      details: $(hit)
        .children('.text-secondary')
        .toArray()
        .map((detail) => $(detail).text()),
    }))
}

t.test('the search in the header takes an order on: its number and the step lead to where the step is asked about', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const order = setOrder(cabinet, 'apply', { receiver: 'Anna' })
  const request = transitionBetween(cabinet, 'apply', 'payment')
  const find = async (name: Name, q: string, headers = {}) => (await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, headers)).body
  const steps = async (name: Name, q: string) => sectionOf(await find(name, q), 'Steps')
  const path = `/orders/${order}?transition_id=${request.id}`
  const asked = { name: 'Request payment', href: `${path}#step`, asked: path }
  for (const q of [
    `order ${order} request payment`,
    `щквук ${order} pay`,
    `${order} request payment`,
    `#${order} PAYMENT`,
    ` № ${order}  pay`,
  ])
    t.match(await steps('maria', q), [asked], q)
  const [first] = await steps('maria', `${order} pay`)
  t.match(first?.details, [/^Order #\d+.* · Alpha Windows$/], 'of which order')
  t.same([first?.status, first?.to], ['Awaiting signing', 'Awaiting payment'], 'from where it leads to where')
  t.match(await steps('maria', `${order} ask payment`), [asked], 'said in other words, of which one is that of a step')
  const ordersFound = async (name: Name, q: string) => sectionOf(await find(name, q), 'Orders').map(({ href }) => href)
  const own = `/orders/${order}`
  t.match(await ordersFound('maria', `${order} production`), [own], 'the order itself, whatever was asked of it')
  t.same(await ordersFound('mikhail', `${order} production`), [], 'to those who see it')
  t.same(await ordersFound('maria', `${order} 12`), [], 'two numbers name no order')
  t.same(sectionOf(await find('root', `${order} payment`), 'Pages'), [], 'pages do not say the number')

  const page = await (await as('maria')).get(path)
  t.match(textOf(elementById(page, 'step') as string), 'Request payment', 'without JavaScript the page of the order asks')
  t.equal(orderOf(db, order).status_id, statusId('apply'), 'and nothing has happened yet')

  t.same(await steps('maria', String(order)), [], 'a number alone is no order to do something')
  const [refused, ...more] = await steps('maria', `${order} production`)
  t.match(refused, { name: '', asked: undefined }, 'a step that this order cannot take now is no link')
  t.match(refused?.details.join(), /Alpha Windows\. Not possible now\. The order is in "Awaiting signing"\./, 'and says why')
  t.same(more, [])
  t.same(await steps('maria', `${order + 1000} payment`), [], 'an order that does not exist')
  t.same(await steps('denis', `${order} request`), [], 'of a step that is not for dealers nothing is said')
  t.same(await steps('mikhail', `${order} payment`), [], 'an order of another manager')

  const russian = sectionOf(await find('maria', `${order} выставить`, { 'accept-language': 'ru' }), 'Шаги')
  t.match(russian, [{ name: 'Выставить счёт' }], 'in the language of the reader')
})

t.test('on the page of an order the search begins with the steps of that order', async (t) => {
  const cabinet = await startCabinet(t)
  const { as } = cabinet
  const order = setOrder(cabinet, 'apply')
  const other = insertOrder(cabinet, 'new', { dealer_id: cabinet.cast.denis, company_id: cabinet.cast.companies.alpha })
  const request = transitionBetween(cabinet, 'apply', 'payment')
  const own = `/orders/${order}?transition_id=${request.id}#step`
  const button = async (path: string) => parseHtml((await (await as('maria')).get(path)).body)('#find').attr('hx-get')
  t.equal(await button('/orders'), '/find')
  t.equal(await button(`/orders/edit/${order}?tab=history`), '/find', 'its history is not its page')
  const listed = String(await button(`/orders/${order}?back=%3F&shown=9`))
  t.equal(listed, `/find?on=${encodeURIComponent(`/orders/${order}?back=%3F`)}`, 'with the list that somebody came from')
  const address = String(await button(`/orders/${order}`))
  t.equal(address, `/find?on=${encodeURIComponent(`/orders/${order}`)}`)
  const find = async (name: Name, q: string, from = address) => (await (await as(name)).get(`${from}&q=${encodeURIComponent(q)}`)).body
  const steps = async (name: Name, q: string, from?: string) => sectionOf(await find(name, q, from), 'Steps').map(({ href }) => href)
  const first = parseHtml(await find('maria', ''))
  t.equal(first('#found h2').first().text(), 'Steps', 'before anything is typed')
  t.equal(first('.find-form [name=on]').attr('value'), `/orders/${order}`, 'and while somebody types')
  t.ok((await steps('maria', '')).includes(own))
  t.same(await steps('maria', 'request payment'), [own], 'without its number')
  t.same(await steps('maria', 'request payment', listed), [own.replace('#', '&back=%3F#')], 'a step goes on in that list')
  t.same(await steps('maria', 'vega'), [], 'what no step says')
  const named = await steps('root', `${other} signing`)
  t.ok(named.length > 0 && named.every((href) => href?.startsWith(`/orders/${other}?`)), 'a number names another order')
  t.same(await steps('mikhail', ''), [], 'an order of another manager')
  for (const on of ['/orders/', `/orders/${order}x`, `/companies/${order}`, '/orders/999', `/orders/${order}/x`])
    t.same(await steps('maria', '', `/find?on=${encodeURIComponent(on)}`), [], on)
})

t.test('a step that asks for nothing else asks whether it is meant, and is taken by its button', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const order = setOrder(cabinet, 'new')
  const sign = transitionBetween(cabinet, 'new', 'apply')
  const denis = await as('denis')
  const page = await denis.get(`/orders/${order}?transition_id=${sign.id}`)
  const form = textOf(elementById(page, 'step') as string)
  t.match(form, `Move order #${order} to "Awaiting signing"?`)
  t.notMatch(form, 'add:')
  t.equal(orderOf(db, order).status_id, statusId('new'))
  t.equal((await denis.post(`/orders/${order}/transition`, { transition_id: sign.id })).statusCode, 303)
  t.equal(orderOf(db, order).status_id, statusId('apply'))
})

t.test('orders that were found show status, company and customer', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db } = cabinet
  const order = setOrder(cabinet, 'apply', { receiver: 'Anna Smirnova' })
  const found = async () => sectionOf((await (await as('root')).get(`/find?q=${order}`)).body, 'Orders')[0]
  t.match(await found(), { status: 'Awaiting signing', details: ['Alpha Windows', 'Anna Smirnova'] })
  db.update(orders).set({ status_id: null, receiver: null }).where(eq(orders.id, order)).run()
  t.match(await found(), { status: '', details: ['Alpha Windows'] })
})

t.test('the search leads to forms and lists in the words of whoever asks, and only where they may go', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const hrefs = async (name: Name, q: string, title: string, headers = {}) =>
    sectionOf((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, headers)).body, title).map(({ href }) => href)
  const russian = { 'accept-language': 'ru' }
  t.same(await hrefs('denis', 'new order', 'Actions'), ['/orders/add'])
  t.equal((await hrefs('root', '', 'Actions'))[0], '/orders/add', 'first what is added most')
  t.same(await hrefs('root', 'новая компания', 'Действия', russian), ['/company/add'])
  t.same(await hrefs('denis', 'new company', 'Actions'), [])
  const debts = ['/companies?debt=1', '/companies?overdue=1']
  t.same(await hrefs('root', 'companies in debt', 'Lists'), debts)
  t.same(await hrefs('root', 'компании с долгом', 'Списки', russian), debts, 'what is owed before what of it is late')
  t.same(await hrefs('root', 'overdue debt', 'Lists'), ['/companies?overdue=1'])
  t.same(await hrefs('root', 'просроченный долг', 'Списки', russian), ['/companies?overdue=1'])
  t.same(await hrefs('root', 'late orders', 'Lists'), ['/orders?overdue=1'])
  for (const href of [...debts, '/orders?overdue=1']) t.equal((await (await as('root')).get(href)).statusCode, 200)
  t.same(await hrefs('denis', 'companies in debt', 'Lists'), [], 'a list that is not theirs')
  grant(db, cast.maria, 'company_can_view')
  t.same(await hrefs('maria', 'companies in debt', 'Lists'), debts)
  revoke(db, cast.maria, 'order_can_view_prices')
  t.same(await hrefs('maria', 'companies in debt', 'Lists'), [], 'debts are not for those who do not see prices')
  const lists = async (name: Name, q: string, title: string, headers = {}) =>
    sectionOf((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, headers)).body, title).map((hit) => hit.name)
  t.same(await lists('root', 'debtors', 'Lists'), ['Companies in debt'], 'a list is called what it shows')
  t.same(await lists('root', 'должники', 'Списки', russian), ['Компании с долгом'])
  const flagged = (await lists('root', 'orders', 'Lists')).concat(await lists('root', 'companies', 'Lists'))
  const expected = [
    'waiting for you',
    'that I can move',
    'that were not sent',
    'with unread messages',
    'in progress',
    'that are late',
    'that are delayed',
    'that were not canceled',
  ]
  const titles = expected.map((words) => (words.includes('sent') ? `New orders ${words}` : `Orders ${words}`))
  const others = ['Companies in debt', 'Companies with overdue debt', 'Companies in credit']
  t.same(flagged.sort(), [...titles, ...others].sort())
  t.same(await hrefs('root', '', 'Lists'), [], 'before anything is typed, only what is done most')
})

t.test('before anything is typed, the search offers orders that wait for whoever looks, else the newest that they see', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  cabinet.db.delete(orders).run()
  const of = { dealer_id: cast.denis, company_id: cast.companies.alpha }
  const offered = async (name: Name) => sectionOf((await (await as(name)).get('/find')).body, 'Orders').map(({ name }) => name)
  t.same(await offered('denis'), [])
  const made = insertOrder(cabinet, 'completed', of)
  t.same(await offered('denis'), [`#${made}`])
  const [own, ...others] = ['new', 'production', 'production'].map((status) => insertOrder(cabinet, status, of)) as [number, number, number]
  t.same(await offered('denis'), [`#${own}`], 'what waits for him')
  t.ok(others && !(await offered('daria')).length, 'not those of other companies')
  for (let one = 0; one < 6; one++) insertOrder(cabinet, 'new', of)
  t.equal((await offered('denis')).length, 5, 'a few of them')
  const shortcuts = async (name: Name) => textOf((await (await as(name)).get('/shortcuts')).body)
  t.match(await shortcuts('denis'), /or do something: "\d+ send for signing", "new order"/, 'and tells by one of them what it does')
  t.match(await shortcuts('daria'), /or do something: "new order"/)
})

t.test(
  'preferences, signing out and the sections of the settings are found by their names and fields, by those who have them',
  async (t) => {
    const { as } = await startCabinet(t)
    const found = async (name: Name, q: string, headers = {}) => {
      const $ = parseHtml((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, headers)).body)
      const section = $('#found section').filter((_, one) => /^(Settings|Настройки)$/.test($(one).find('h2').text()))
      const sent = (hit: Parameters<typeof $>[0]) =>
        $(hit)
          .find('input')
          .toArray()
          .map((one) => `${$(one).attr('name')}=${$(one).attr('value')}`)
      const hits = section.find('li').toArray()
      return hits.map((hit) => [
        $(hit).find('a, button').text(),
        $(hit).find('a').attr('href') ?? $(hit).find('form').attr('action'),
        ...sent(hit),
      ])
    }
    const russian = { 'accept-language': 'ru' }
    t.same(await found('denis', 'dark'), [['Theme: Dark', '/preferences', 'theme=dark']])
    t.same(await found('denis', 'светлая', russian), [['Тема: Светлая', '/preferences', 'theme=light']])
    t.same(await found('denis', 'русский'), [['Language: Русский', '/preferences', 'language=ru']])
    t.same(await found('denis', 'выйти', russian), [['Выйти', '/logout']])
    t.same((await found('denis', 'profile'))[0], ['My profile: Notifications', '/profile#mail_statuses'])
    t.same(await found('root', 'БИК', russian), [['Настройки: Реквизиты', '/settings#section-8']])
    t.same(await found('root', 'webhooks'), [['Settings: Webhooks', '/settings?tab=webhooks']])
    t.match(
      textOf((await (await as('denis')).get('/find?q=настройки', russian)).body),
      /Страницы Мой профиль/,
      'their own are in the profile',
    )
    t.same(await found('denis', 'БИК', russian), [], 'only for those who may change them')
    t.same(await found('root', ''), [], 'before anything is typed, only what is done most')
    const { body } = await (await as('root')).get('/settings')
    t.match(textOf(elementById({ body } as never, 'section-8') ?? ''), /BIK/, 'the section that its address names')
  },
)

t.test('what is asked for is found word for word: a longer word may end otherwise, short words do not count beside others', (t) => {
  t.ok(saysAll(['Добавить компанию'], 'компания'))
  t.ok(saysAll(['Overdue', null, 'in debt'], 'IN DEBT'))
  t.ok(saysAll(['Companies: debt'], 'companies in debt'))
  t.notOk(saysAll(['Companies'], 'companies debt'))
  t.notOk(saysAll(['News'], 'newt'), 'a word of four letters is meant to the letter')
  t.ok(saysAll(['Companies'], 'co'), 'alone they do')
  t.notOk(saysAll(['Companies'], 'in'))
  t.ok(saysAll(['Companies'], ''))
  t.notOk(saysAll(['Companies'], 'panies'), 'words are meant from their beginning')
  t.ok(saysAll(['Companies (in debt)'], 'debt'))
  t.end()
})

t.test('on the page of an order "new order" asks for another one, not to cancel this one', async (t) => {
  const cabinet = await startCabinet(t)
  const order = setOrder(cabinet, 'apply')
  const root = await cabinet.as('root')
  const find = async (q: string, language: string) => {
    const { body } = await root.get(`/find?on=/orders/${order}&q=${encodeURIComponent(q)}`, { 'accept-language': language })
    return parseHtml(body)
  }
  for (const [q, language] of [
    ['New order', 'en'],
    ['новый заказ', 'ru'],
  ] as const) {
    const $ = await find(q, language)
    t.equal($('#found li a').first().attr('href'), '/orders/add', q)
  }
  const steps = async (q: string) => sectionOf((await root.get(`/find?on=/orders/${order}&q=${q}`)).body, 'Steps').map(({ name }) => name)
  t.same(await steps('order'), [], 'the word alone names no step')
  t.same(await steps('cancel+order'), ['Cancel order'], 'its own words do')
})

t.test('a step without a number finds the orders that can take it, of a customer who is named besides', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const order = setOrder(cabinet, 'apply', { receiver: 'Anna' })
  const later = insertOrder(cabinet, 'apply', { dealer_id: cast.denis, company_id: cast.companies.alpha, receiver: 'Boris' })
  insertOrder(cabinet, 'new', { dealer_id: cast.denis, company_id: cast.companies.alpha, receiver: 'Anna' })
  const { id } = transitionBetween(cabinet, 'apply', 'payment')
  const steps = async (name: Name, q: string) =>
    sectionOf((await (await cabinet.as(name)).get(`/find?q=${encodeURIComponent(q)}`)).body, 'Steps').map(({ asked }) => asked)
  const [first, second] = [order, later].map((one) => `/orders/${one}?transition_id=${id}`)
  t.same((await steps('maria', 'request payment')).toSorted(), [first, second].toSorted())
  t.same(await steps('maria', 'request payment anna'), [first])
  t.same(await steps('maria', 'request boris'), [second])
  t.same(await steps('maria', 'request payment nobody'), [])
  t.same(await steps('maria', 'payment'), [], 'what is no verb may mean anything')
  t.same(await steps('denis', 'request payment'), [], 'a step that is not for dealers')
  t.same(await steps('mikhail', 'request payment'), [], 'orders of another manager')
})

t.test('where nothing is found, it is looked for as the other layout of the keyboard writes it', async (t) => {
  const { as } = await startCabinet(t)
  const maria = await as('maria')
  const find = async (q: string, language = 'en') =>
    parseHtml((await maria.get(`/find?q=${encodeURIComponent(q)}`, { 'accept-language': language })).body)
  const english = await find('зфньутеы')
  t.equal(english('#found li a').first().attr('href'), '/payments')
  t.equal(english('.found-meant').text(), 'Found for "payments"')
  t.equal(english('#find-q').attr('value'), 'зфньутеы', 'what was typed stays')
  t.equal(english('#found').attr('data-q'), 'зфньутеы')
  const russian = await find('gkfnt;b', 'ru')
  t.equal(russian('#found li a').first().attr('href'), '/payments')
  const usual = await find('payments')
  t.equal(usual('.found-meant').length, 0)
  const nothing = await find('qzxqzx')
  t.match(nothing('#found .empty').text(), 'No matches for "qzxqzx"')
  t.equal(nothing('.found-meant').length, 0)
})
