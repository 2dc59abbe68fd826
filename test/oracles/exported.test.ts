import { parse } from 'csv-parse/sync'
import ExcelJS from 'exceljs'
import t from 'tap'
import { fullName } from '../../src/core/text.ts'
import { deleteRecords } from '../../src/database/delete-records.ts'
import { write } from '../../src/database/open.ts'
import { deliveries, manufactures, orderHistory, orders, stocks, users } from '../../src/database/schema/index.ts'
import type { Answer, Cabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { startMarked } from '../support/marked.ts'

type Cell = string | number | null
type Values = Record<string, unknown>

const evening = Date.parse('2026-03-01T20:30:00Z')
const day = 24 * 3600_000

/** As the clock of the service says. */
const clock = (moment: unknown) => (moment === null ? null : new Date(Number(moment)).toLocaleString('sv').slice(0, 16))
const yesNo = (value: unknown) => (value ? 'Yes' : 'No')
const rubles = (kopecks: unknown) => Number(kopecks) / 100
const person = ({ lastname, name, middlename }: Values) =>
  lastname === null && name === null ? null : fullName({ lastname, name, middlename } as never)

const joinedPerson = (prefix: string) => `${prefix}.lastname, ${prefix}.name, ${prefix}.middlename`

const ofStaff = (where: string, more: Record<string, (row: Values) => unknown> = {}) => ({
  sql: `select users.*, stocks.name as stock, manufactures.name as site from users left join stocks on stocks.id = stock_id
    left join manufactures on manufactures.id = manufacture_id where ${where}`,
  cells: {
    Email: (row: Values) => row.email,
    Name: (row: Values) => row.name,
    'Last name': (row: Values) => row.lastname,
    Phone: (row: Values) => row.phone,
    ...more,
    Telegram: (row: Values) => row.tg_id,
    Active: (row: Values) => yesNo(row.active),
  },
})

/** What a plain query says that the spreadsheet of a list holds. */
const sheets: Record<string, { sql: string; query?: string; cells: Record<string, (row: Values) => unknown> }> = {
  '/orders': {
    query: 'cols=date_make,date_delivery,date_payment,receiver,phone,vat,last_message',
    sql: `select orders.*, org, ${joinedPerson('users')}, statuses.name as status, (select max(at) from order_messages
        where order_id = orders.id and not internal and withdrawn_at is null) as last_message
      from orders left join companies on companies.id = owner_company_id left join users on users.id = dealer_id
      left join statuses on statuses.id = status_id`,
    cells: {
      'Spec. No.': ({ specification_number }) => specification_number,
      Company: ({ org }) => org,
      Dealer: person,
      Status: ({ status }) => status,
      Cost: ({ cost }) => rubles(cost),
      Created: ({ created_at }) => clock(created_at),
      'Production date': ({ date_make }) => date_make,
      'Delivery date': ({ date_delivery }) => date_delivery,
      'Payment date': ({ date_payment }) => date_payment,
      'Customer full name': ({ receiver }) => receiver,
      Phone: ({ phone }) => phone,
      'VAT included': () => null,
      'Last message': ({ last_message }) => clock(last_message),
    },
  },
  '/companies': {
    query: 'cols=city,dealers,open_orders,discount,created_at,updated_at',
    sql: `select companies.*, ${joinedPerson('users')},
        (select count(*) from users dealer where dealer.company_id = companies.id and group_id = 2) as dealers,
        (select count(*) from orders where owner_company_id = companies.id
          and status_id in (select parent_status_id from status_transitions)) as open_orders
      from companies left join users on users.id = companies.manager_id`,
    cells: {
      Organization: ({ org }) => org,
      Manager: person,
      City: ({ address }) => (address ? 'Тверь' : null),
      Dealers: ({ dealers }) => dealers,
      'Open orders': ({ open_orders }) => open_orders,
      'Discount, %': ({ discount }) => discount,
      Created: ({ created_at }) => clock(created_at),
      Updated: ({ updated_at }) => clock(updated_at),
    },
  },
  '/dealers': {
    sql: `select users.*, org, ${['lastname', 'name', 'middlename'].map((part) => `manager.${part} as manager_${part}`)} from users
      left join companies on companies.id = users.company_id left join users manager on manager.id = coalesce(companies.manager_id, users.manager_id)
      where users.group_id = 2`,
    cells: {
      Company: ({ org }) => org,
      Name: ({ name }) => name,
      Lastname: ({ lastname }) => lastname,
      Manager: ({ manager_lastname: lastname, manager_name: name, manager_middlename: middlename }) =>
        person({ lastname, name, middlename }),
      Active: ({ active }) => yesNo(active),
      Created: ({ created_at }) => clock(created_at),
    },
  },
  '/managers': ofStaff('group_id = 3'),
  '/productions': ofStaff('group_id = 4', { Warehouse: ({ stock }) => stock, 'Production site': ({ site }) => site }),
  '/admins': ofStaff('group_id = 1'),
  '/stocks': {
    sql: 'select * from stocks',
    cells: { 'Warehouse name': ({ name }) => name, Address: ({ address }) => address },
  },
  '/manufactures': {
    sql: 'select * from manufactures',
    cells: { 'Site name': ({ name }) => name, Address: ({ address }) => address },
  },
  '/categories': { sql: 'select * from categories', cells: { 'Category name': ({ name }) => name } },
  '/statuses': {
    sql: 'select * from statuses',
    cells: { Key: ({ status_key }) => status_key, 'Status name': ({ name }) => name, Color: ({ color }) => color },
  },
  '/news': {
    sql: 'select * from news',
    cells: {
      Title: ({ name }) => name,
      Text: ({ excerpt }) => excerpt,
      'Publication date': ({ publishedon }) => clock(publishedon),
      Published: ({ published }) => yesNo(published),
    },
  },
  '/notifications': {
    sql: `select notifications.*, org, author_name, coalesce(order_history.actor_name, notifications.actor_name) as changed_by from notifications left join orders on orders.id = notifications.order_id
      left join companies on companies.id = orders.company_id left join order_messages on order_messages.id = message_id
      left join order_history on order_history.id = history_id where notifications.user_id = 1`,
    cells: {
      Order: ({ order_id }) => order_id,
      Company: ({ org }) => org,
      Event: ({ status_name }) => status_name || 'Message',
      'Changed by': ({ author_name, changed_by }) => author_name ?? changed_by,
      When: ({ created_at }) => clock(created_at),
      'Read at': ({ read_at }) => clock(read_at),
    },
  },
  '/outbox': {
    sql: `select deliveries.*, notifications.order_id, status_name, notifications.created_at as created, ${joinedPerson('users')}, email, tg_id from deliveries
      join notifications on notifications.id = notification_id join users on users.id = user_id`,
    cells: {
      Recipient: person,
      Address: ({ channel, recipient, email, tg_id }) => (channel === 'email' ? (recipient ?? email) : tg_id),
      Channel: ({ channel }) => (channel === 'email' ? 'Email' : 'Telegram'),
      Order: ({ order_id }) => order_id,
      Event: ({ status_name }) => status_name || 'Message',
      Created: ({ created }) => clock(created),
      State: ({ state }) => ({ waiting: 'Queued', failed: 'Failed', sent: 'Sent' })[String(state)],
      Attempts: ({ attempts }) => attempts,
      'Next attempt': ({ state, next_at }) => (state === 'waiting' ? clock(next_at) : null),
      'Last error': ({ last_error }) => last_error,
    },
  },
  '/bin': {
    sql: 'select * from trash where size is not null and restored_at is null',
    cells: {
      Deleted: ({ label, size }) => (Number(size) > 1 ? `${label} and ${Number(size) - 1} more` : label),
      Type: ({ list }) => ({ news: 'News', stocks: 'Warehouses' })[String(list)],
      'Deleted by': ({ actor_name }) => actor_name,
      When: ({ at }) => clock(at),
      'Kept until': ({ at }) => clock(Number(at) + 30 * day),
    },
  },
  '/activity': {
    sql: 'select * from changes',
    cells: {
      When: ({ at }) => clock(at),
      Who: ({ actor_name }) => actor_name,
      Impersonation: ({ impersonator_name }) => impersonator_name,
      'IP address': ({ address }) => address,
      Record: ({ label }) => label,
      Action: ({ action }) => ({ create: 'Created', update: 'Updated', delete: 'Deleted', restore: 'Restored' })[String(action)],
    },
  },
}

function plant({ db, cast }: Cabinet) {
  const phones = ['+79001234567', '=1+1', null]
  for (const [at, { id }] of db.select().from(users).all().entries())
    db.$client
      .prepare('update users set phone = ?, tg_id = ?, created_at = ?, active = ? where id = ?')
      .run(phones[at % 3], at % 2 ? String(id) : null, evening + at * day, id === cast.ivan ? 0 : 1, id)
  for (const [at, { id }] of db.select().from(orders).all().entries())
    db.$client
      .prepare('update orders set date_delivery = ?, date_payment = ?, phone = ?, cost = ? where id = ?')
      .run(at % 2 ? '2026-02-28' : null, at % 3 ? null : '2026-12-31', phones[at % 3], at === 0 ? 0 : 123_456_789 + at, id)
  db.$client
    .prepare("update companies set address = '170000, г. Тверь, ул. Ленина', discount = 12.5, updated_at = ? where id = ?")
    .run(evening, cast.companies.beta)
  for (const table of [stocks, manufactures]) db.update(table).set({ address: 'Tver; "Lenina" 1,\n2' }).run()
  db.insert(orderHistory).values({ order_id: cast.order, at: evening, to_name: 'Paid', actor_name: 'Petrova Maria' }).run()
  const history = db.$client.prepare('select max(id) from order_history').pluck().get()
  db.$client
    .prepare("insert into notifications (user_id, order_id, history_id, status_name, created_at, read_at) values (?, ?, ?, 'Paid', ?, ?)")
    .run(cast.root, cast.order, history, evening, evening + day)
  const places = ['One', 'Two', 'Three'].map((name) => Number(db.insert(stocks).values({ name }).run().lastInsertRowid))
  write(db, () => deleteRecords(db, { table: stocks, list: 'stocks' }, places, { id: cast.maria, name: 'Petrova Maria' }))
  const notification_id = Number(db.$client.prepare('select max(id) from notifications').pluck().get())
  db.insert(deliveries)
    .values([
      {
        notification_id,
        channel: 'email',
        recipient: 'other@example.com',
        state: 'waiting',
        attempts: 3,
        next_at: evening,
        last_error: '451 Later',
      },
      { notification_id, channel: 'telegram', state: 'sent', attempts: 1, next_at: evening, sent_at: evening },
    ])
    .run()
}

const read = ({ body }: Answer): Cell[][] => parse(body, { bom: true })

async function readWorkbook(answer: Answer): Promise<Cell[][]> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(answer.rawPayload as never)
  const [sheet] = workbook.worksheets
  const width = sheet?.columnCount ?? 0
  const table: Cell[][] = []
  sheet?.eachRow((row) => table.push(Array.from({ length: width }, (_, at) => row.getCell(at + 1).value as Cell)))
  return table
}

/** Days and moments as one text, numbers as they are written, nothing as an empty text. */
function plain(value: unknown): string {
  if (value instanceof Date)
    return value
      .toISOString()
      .slice(0, 16)
      .replace('T', ' ')
      .replace(/ 00:00$/, '')
  return String(value ?? '')
}

t.test('spreadsheets hold what the database holds, value by value', async (t) => {
  exportInProcess(t)
  const cabinet = await startMarked(t)
  plant(cabinet)
  const { db } = cabinet
  const root = cabinet.browserOf('root')
  for (const [path, { sql, query = '', cells }] of Object.entries(sheets)) {
    const rows = db.$client.prepare(sql).all() as Values[]
    t.ok(rows.length > 0, `${path} has rows`)
    const expected = new Map(rows.map((row) => [String(row.id), Object.values(cells).map((cell) => plain(cell(row)))]))
    for (const format of ['csv', 'xlsx']) {
      const answer = await root.get(`${path}/export?format=${format}&${query}`)
      const [headers = [], ...lines] = format === 'csv' ? read(answer) : await readWorkbook(answer)
      const columns = Object.keys(cells).map((label) => headers.indexOf(label))
      t.same(
        Object.keys(cells).filter((label) => !headers.includes(label)),
        [],
        `${path} as ${format} has every column of ${headers.join()}`,
      )
      const told = new Map(lines.map((line) => [String(line[0]), columns.map((at) => unprotected(plain(line[at])))]))
      if (path !== '/activity') t.equal(told.size, expected.size, `${path} as ${format}: rows`)
      t.same(
        [...told].map(([id, line]) => [id, line]),
        [...told].map(([id]) => [id, expected.get(id)]),
        `${path} as ${format}`,
      )
    }
  }
})

t.test('the cells of a list show what the database holds', async (t) => {
  const cabinet = await startMarked(t)
  plant(cabinet)
  const root = cabinet.browserOf('root')
  for (const path of ofRecords) {
    const { sql, query = '', cells } = sheets[path] as (typeof sheets)[string]
    const $ = parseHtml((await root.get(`${path}?size=all&${query}`)).body)
    const wrong: string[] = []
    for (const row of cabinet.db.$client.prepare(sql).all() as Values[])
      for (const [label, valueIn] of Object.entries(cells)) {
        const column = $('th[data-col]')
          .toArray()
          .find((head) => $(head).text().trim() === label)?.attribs['data-col']
        if (!column) continue
        const cell = $(`tr[id="${path.slice(1)}-${row.id}"] td[data-col="${column}"]`)
        if (cell.attr('title')?.startsWith('Own manager')) cell.find('.text-secondary').remove()
        const value = plain(valueIn(row))
        const shown = {
          text: cell.text().replace(/\s+/g, ' ').trim(),
          title: cell.attr('title'),
          on: cell.find('[role=switch]').attr('aria-checked'),
        }
        if (cell.length !== 1 || !shows(shown, value)) wrong.push(`${row.id}, ${label}: ${JSON.stringify(shown)} for ${value}`)
      }
    t.same(wrong, [], path)
  }
})

const ofRecords = [
  '/orders',
  '/companies',
  '/dealers',
  '/managers',
  '/productions',
  '/admins',
  '/stocks',
  '/manufactures',
  '/categories',
  '/statuses',
]

function shows({ text, title = '', on }: { text: string; title?: string; on?: string }, value: string): boolean {
  if (on) return (on === 'true') === (value === 'Yes')
  if (value === '') return /^(—|No \w+)$/.test(text)
  const [, year, month, date, time] = /^(\d{4})-(\d\d)-(\d\d)( \d\d:\d\d)?$/.exec(value) ?? []
  if (year)
    return time ? title === `${date}.${month}.${year}${time}` : [text, title].some((said) => said.startsWith(`${date}.${month}.${year}`))
  if (/^\d[\d.]*$/.test(value) && text.includes('₽')) return Number(text.replace(/[^\d,]/g, '').replace(',', '.')) === Number(value)
  const words = value.replace(/\s+/g, ' ').trim()
  return [words, `#${words}`, `${words} Superadministrator`].includes(text)
}

/** What keeps a text of a csv file from being computed. */
const unprotected = (text: string) => text.replace(/^'(?==)/, '')
