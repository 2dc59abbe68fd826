import { eq, ne } from 'drizzle-orm'
import t from 'tap'
import permissionSets from '../../src/core/default-permission-sets.json' with { type: 'json' }
import workflow from '../../src/core/default-workflow.json' with { type: 'json' }
import { recordLabelFor } from '../../src/core/default-workflow.ts'
import { orders } from '../../src/database/schema/index.ts'
import { russian, translator } from '../../src/i18n/translate.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, idsOf, tagsOf, textOf } from '../support/html.ts'
import { notifyRecipients } from '../support/notify.ts'

/** Everyday words that people search by, whatever the cabinet calls what they mean. */
const areTyped = (key: string) => /^[a-z][a-z -]*(, [a-z -]+)+$/i.test(key) && /^[a-z]/.test(key)

const texts: [key: string, text: string][] = [
  ...Object.entries(russian).filter(([key]) => !areTyped(key)),
  ...Object.entries(workflow.policies).map(([key, { ru }]): [string, string] => [key, ru]),
  ...workflow.statuses.map(({ name }): [string, string] => [name.en, name.ru]),
  ...Object.values(workflow.actions).map(({ name }): [string, string] => [name.en, name.ru]),
  ...permissionSets.map(({ name }): [string, string] => [name.en, name.ru]),
]

interface Rule {
  rule: string
  /** What a text that breaks the rule has. */
  broken: RegExp
  wrong: string[]
  right: string[]
}

/** A noun whose form depends on the name after it, which is inserted in the nominative. */
const declined = 'компании|компанией|менеджера|дилера|пользователя|пользователю|заказа|статуса|только:|группам|группе|кроме|среди|из|у|от'
const units = '%|₽|[КМГ]Б|дн(?:я|ей)|день|час(?:а|ов)?|минут[аы]?|месяц(?:а|ев)?|символ(?:а|ов)?|мегапиксел(?:ь|я|ей)|кадр(?:а|ов)?'

const rules: Rule[] = [
  {
    rule: 'inserted words stay in the nominative',
    broken: new RegExp(`(?<![а-яё])(?:${declined}):? \\{(?:company|who|groups|group|name|names|status|organization|user)\\}`, 'i'),
    wrong: ['Заказ компании {company}', 'Доступно только: {who}.', 'нет действующих среди: {groups}'],
    right: ['Заказ № 5 ({company})', 'Выполнить может {who}.', 'в статусе «{status}»', 'Показать: {name}'],
  },
  {
    rule: 'people have no gender',
    broken:
      /^(приглаш[её]н|активен|отключ[её]н|включ[её]н|уведомл[её]н|заблокирован)(:|$)|\{(name|who|user)\} (?!оформлен)[а-яё]+(л|ла|ён|ен|ан|ана)(?![а-яё])/i,
    wrong: ['Приглашён', 'Отключён: {name}', '{name} написал', 'Менеджер {name} добавлен'],
    right: ['Доступ отключён: {name}', 'Добавлен менеджер: {name}', '{name} – сообщение'],
  },
  {
    rule: 'one word per thing',
    broken:
      /строк\S* заказ|экспорт|(?<![а-яё])журнал(?! безопасности)|заказчик|двухэтапн\S+ проверк|от чужого имени|работат?ь от имени|добав\S+ заказ|некорректн|выручк|(?<![а-яё])выйти из сеанс/i,
    wrong: ['Строки заказа', 'Экспорт', 'Журнал', 'Добавить заказ', 'Некорректный запрос'],
    right: ['Позиции заказа', 'Журнал безопасности', 'Оформить заказ', 'Строка таблицы'],
  },
  {
    rule: 'quotes are «…», never around an organization, which brings its own',
    broken: /["“”]|«\{(organization|company|org)\}»|«[^»]*«|^[^«]*»|«[^»]*$|„(?![^“]*“)/,
    wrong: ['Статус "{status}"', 'Приглашение в «{organization}»', 'Запись «{name}'],
    right: ['Статус «{status}»', 'Приглашение: {organization}'],
  },
  {
    rule: 'a space that does not break follows №',
    broken: /№(?!\u00a0|$)/,
    wrong: ['Заказ №{number}', 'Заказ № {number}'],
    right: ['Заказ №\u00a0{number}', '№'],
  },
  {
    rule: 'a space that does not break precedes units',
    broken: new RegExp(`(?:[\\d}]| )(?<!\\u00a0)(?:(?<=[\\d}])%| (?:${units})(?![а-яё]))`, 'i'),
    wrong: ['скидка {now}%', 'до {max} МБ', '7 дней', '{count} ₽'],
    right: ['скидка {now}\u00a0%', 'до {max}\u00a0МБ', 'Базовая скидка, %', 'дней'],
  },
  {
    rule: 'dashes are – and ellipses …',
    broken: /—| - |\.\.\./,
    wrong: ['a — b', 'a - b', 'a...'],
    right: ['a – b', 'c 1–5', 'a…'],
  },
  {
    rule: 'ё is always written',
    broken:
      /(?<![а-яё])(еще|чье(?![а-яё])|ее|(?:мо|тво|сво)е(?![а-яё])|все еще|учет|расчет|отчет|счет|темн|черны|легк|надежн|недостижим[ое]{2}т|идет|придет|найдет|зайдет|поврежден(?![а-яё])|сохранен(?![а-яё])|изменен(?![а-яё])|удален(?![а-яё])|включен(?![а-яё])|отключен(?![а-яё])|приглашен(?![а-яё])|отозван[её])/i,
    wrong: ['Еще', 'Расчетный счет', 'Доступ отключен', 'Учетная запись', 'Удален'],
    right: ['Ещё', 'Расчётный счёт', 'Доступ отключён', 'изменено', 'удалено', 'учёт'],
  },
]

for (const { rule, broken, wrong, right } of rules)
  t.test(`Russian texts: ${rule}`, async (t) => {
    t.same(
      wrong.filter((text) => !broken.test(text)),
      [],
      'the rule finds what it forbids',
    )
    t.same(
      right.filter((text) => broken.test(text)),
      [],
      'and nothing else',
    )
    t.same(Object.fromEntries(texts.filter(([, text]) => broken.test(text))), {}, 'no text breaks it')
  })

t.test('Russian texts: the form for one is also the one for 21 and 101', async (t) => {
  const single = /(?<![а-яё])(его|её|этот|эту|эта|это|последн\S+|един\S+)(?![а-яё])/i
  t.ok(single.test('если его не перевести'))
  t.same(
    Object.entries(russian).filter(([key, text]) => key.endsWith('_one') && single.test(text)),
    [],
  )
})

t.test('Russian texts: after 2 a noun has the form of a fraction, unless the sentence wants the genitive, as after 5', async (t) => {
  const genitive = /^(?:Удалить|Изменить) \{count\} (?:администратор|дилер|менеджер|сотрудник)|(?:Без движения от|цены|^до) \{count\}/i
  const adjective = /\{count\}\s\S+[ыи]х(?!\S)/
  const few = Object.entries(russian).filter(([key, text]) => key.endsWith('_few') && !adjective.test(text))
  t.ok(few.some(([, text]) => genitive.test(text)))
  for (const [key, text] of few) t.equal(text, russian[key.replace(/few$/, genitive.test(text) ? 'many' : 'other')], key)
})

t.test('Russian texts: a range begins with its first word, and ends with its last', async (t) => {
  const ends = Object.keys(russian).flatMap((key) => {
    const until = key.replace(/ from$/, ' to')
    return key !== until && russian[until] ? [[russian[key], russian[until]] as [string, string]] : []
  })
  t.ok(ends.length > 4)
  for (const [from, until] of ends) {
    t.match(from, / (?:с|от)$/)
    t.equal(until, from.replace(/с$/, 'по').replace(/от$/, 'до'))
  }
})

t.test('Russian texts: what is inserted meets its neighbors as it should', async (t) => {
  const ru = translator('ru')
  const order = { number: 245, company: 'ООО «Окна Севера»', status: 'Ожидает оплаты', name: 'Орлова Екатерина' }
  t.equal(
    ru('Order {number} from {company} moved to "{status}".', order),
    'Заказ №\u00a0245 (ООО «Окна Севера») переведён в статус «Ожидает оплаты».',
  )
  t.equal(
    ru('{name} wrote about order {number} from {company}:', order),
    'Орлова Екатерина – сообщение к заказу №\u00a0245 (ООО «Окна Севера»):',
  )
  t.equal(ru('Invitation to {organization}', { organization: 'ООО «Завод»' }), 'Приглашение: ООО «Завод»')
  const stays = [1, 2, 5, 21].map((count) => ru('{count} orders will have no status unless you move them.', { count }))
  t.same(stays, [
    'Без статуса останется 1 заказ, если не выбрать новый статус.',
    'Без статуса останется 2 заказа, если не выбрать новый статус.',
    'Без статуса останется 5 заказов, если не выбрать новый статус.',
    'Без статуса останется 21 заказ, если не выбрать новый статус.',
  ])
})

t.test('Russian numbers are in groups of three from 1 000, those of orders and specifications are not', async (t) => {
  const ru = translator('ru')
  t.equal(ru('{count} orders', { count: 999 }), '999 заказов')
  t.equal(ru('{count} orders', { count: 2108 }), '2\u00a0108 заказов')
  t.equal(ru('Up to {max} characters.', { max: 10_000 }), 'Не больше 10\u00a0000\u00a0символов.')
  t.equal(
    ru('{product}: the discount is now {now}%; it was {before}%.', { product: 'A', now: 12.5, before: 7 }),
    'A: скидка теперь 12,5\u00a0%, была 7\u00a0%.',
  )
  t.equal(ru('Specification No. {number}', { number: 12_034 }), 'Спецификация №\u00a012034')
})

const textIn = (html: string, selector: string) => elementsOf(html, selector).map(textOf).join(' ')
const inRussian = { 'accept-language': 'ru' }

t.test('a Russian reader sees № before numbers of orders, on every page that names one', async (t) => {
  const cabinet = await startCabinet(t)
  const { db, cast } = cabinet
  const root = await cabinet.as('root')
  const values = { specification_number: 34, specification: null, status_since: Date.now() - 10 * 86_400_000 }
  db.update(orders).set(values).where(eq(orders.id, cast.order)).run()
  const read = async (path: string) => {
    const text = textOf((await root.get(path, inRussian)).body)
    t.notMatch(text, '(34)', `${path} names it by its own number alone`)
    return text
  }
  const number = `№ ${cast.order}`
  t.equal(recordLabelFor('ru', 'orders', '#12 (34)'), '№\u00a012', 'as history and trash have called orders')
  t.match(await read('/orders'), number)
  t.match(await read('/orders/board'), number)
  t.match(await read('/'), number, 'the dashboard')
  const page = (await root.get(`/orders/${cast.order}`, inRussian)).body
  t.match(textIn(page, 'h1'), new RegExp(`^Заказ ${number}$`))
  t.match(textIn(page, '.order-summary'), 'Спецификация № 34')
  t.match(textIn((await root.get(`/orders/edit/${cast.order}`, inRussian)).body, 'h1'), `Заказ ${number}`)
  t.match(await read(`/orders/${cast.order}/sheet`), `Заказ ${number}`)
  t.match(await read(`/orders/delete?id=${cast.order}`), number)
  t.match(await read(`/find?q=${encodeURIComponent(`№ ${cast.order}`)}`), number)
  t.match(await read(`/orders/try?order=${encodeURIComponent(`№ ${cast.order}`)}`), number)
  notifyRecipients(cabinet, [cast.root], 'Under review')
  const inbox = (await root.get('/notifications', inRussian)).body
  t.match(textIn(inbox, 'tbody a.row-link'), `Заказ ${number}`)
  const [button] = tagsOf(inbox, 'button').filter(({ title }) => title === 'Отметить прочитанным')
  t.match(button?.['aria-label']?.replaceAll('\u00a0', ' '), `Отметить прочитанным: Заказ ${number}, На проверке`)
  t.match(textIn((await root.get('/orders')).body, 'tbody a.row-link'), `#${cast.order}`, 'in English as before')
})

t.test('an order is found by its number with a space after №, and no other order by that', async (t) => {
  const { cast, db, as } = await startCabinet(t)
  const root = await as('root')
  db.update(orders)
    .set({ receiver: `Дом ${cast.order}` })
    .where(ne(orders.id, cast.order))
    .run()
  const found = async (q: string) => idsOf(await root.get(`/orders?q=${encodeURIComponent(q)}`), 'orders')
  t.ok((await found(`№ ${cast.order}`)).includes(cast.order))
  t.same(await found(`№ ${cast.order}`), await found(`№${cast.order}`))
  t.same(await found(`# ${cast.order}`), await found(`#${cast.order}`))
})

t.test('buttons and titles of pages say in Russian what they are for', async (t) => {
  const { as, cast, newBrowser } = await startCabinet(t)
  const root = await as('root')
  const read = async (path: string) => (await root.get(path, inRussian)).body
  t.match((await newBrowser().get('/login', inRussian)).body, /<title>Вход · /)
  t.match(textIn(await read('/orders/add'), '.save-bar .btn-primary'), 'Оформить заказ')
  t.match(textIn(await read('/profile?tab=sessions'), 'thead'), 'IP-адрес')
  t.match(textIn(await read(`/dealers/edit/${cast.denis}?tab=access`), 'thead'), 'Список Подробности Добавление Изменение Удаление')
  t.match(textIn(await read('/orders'), '#orders-export'), 'Выгрузить Excel (xlsx) CSV')
})

t.test('a name that has quotes gets inner ones where a text quotes it', async (t) => {
  const [ru, en] = [translator('ru'), translator('en')]
  t.equal(ru('Permission set "{name}" saved', { name: 'Отдел «Юг»' }), 'Набор прав «Отдел „Юг“» сохранён')
  const moved = { number: 5, company: 'ООО «Юг»', status: 'Новый' }
  t.equal(ru('Order {number} from {company} moved to "{status}".', moved), 'Заказ №\u00a05 (ООО «Юг») переведён в статус «Новый».')
  t.equal(en('Permission set "{name}" saved', { name: 'ООО «Юг»' }), 'Permission set "ООО «Юг»" saved')
})
