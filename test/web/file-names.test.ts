import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, orders } from '../../src/database/schema/index.ts'
import { clientOf } from '../support/api.ts'
import { type Browser, type Cabinet, startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { submitForm } from '../support/files.ts'
import { parseHtml } from '../support/html.ts'

/** Everything in these tests holds the same bytes. */
async function attach({ as }: Cabinet, name: Name, path: string, fields: [string, string | File][]): Promise<void> {
  const answer = await submitForm(await as(name), path, fields)
  t.equal(answer.statusCode, 303, `${path} ${answer.body.slice(0, 300)}`)
}

const same = (name: string) => new File(['the same bytes'], name)

/** What the links of a page to download a file say, and the names that they lead to. */
async function downloadsOf(browser: Browser, path: string): Promise<string[]> {
  const $ = parseHtml((await browser.get(path)).body)
  const links = $('a[href*="/files/"][download]:not(.btn)')
    .toArray()
    .map((link) => ({ said: $(link).text().trim(), href: String($(link).attr('href')) }))
  return Promise.all(links.map(async ({ said, href }) => `${said} → ${await nameAt(browser, href)}`))
}

async function nameAt(browser: Browser, address: string): Promise<string> {
  const { statusCode, headers } = await browser.get(address)
  const [, name = ''] = /filename\*=UTF-8''(.*)$/.exec(String(headers['content-disposition'])) ?? []
  return statusCode === 200 ? decodeURIComponent(name) : String(statusCode)
}

t.test(
  'orders with the same content call it as whoever attached it did, on pages, in downloads, in the API and in the history',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, db, cast } = cabinet
    const { id: second } = db
      .insert(orders)
      .values({ status_id: 1, dealer_id: cast.denis, company_id: cast.companies.alpha })
      .returning()
      .get()
    const first = cast.order
    await attach(cabinet, 'root', `/orders/edit/${first}`, [['specification', same('First of root.bin')]])
    await attach(cabinet, 'admin', `/orders/edit/${second}`, [['specification', same('Second of admin.bin')]])
    await attach(cabinet, 'root', `/orders/edit/${second}`, [['payment_order', same('Payment of root.bin')]])
    await attach(cabinet, 'root', `/orders/edit/${first}`, [['comment', 'Changed since']])

    const [maria, root] = [await as('maria'), await as('root')]
    t.same(await downloadsOf(maria, `/orders/${first}`), ['First of root.bin → First of root.bin'])
    t.same(await downloadsOf(maria, `/orders/${second}`), [
      'Second of admin.bin → Second of admin.bin',
      'Payment of root.bin → Payment of root.bin',
    ])
    t.same(await downloadsOf(root, `/orders/edit/${second}`), [
      'Second of admin.bin → Second of admin.bin',
      'Payment of root.bin → Payment of root.bin',
    ])
    const authors = ($: ReturnType<typeof parseHtml>) => $('#documents .text-secondary').text()
    t.match(authors(parseHtml((await maria.get(`/orders/${first}`)).body)), /Olga/)
    t.notMatch(authors(parseHtml((await maria.get(`/orders/${first}`)).body)), /Anton/)

    const client = clientOf(cabinet, 'maria')
    const files = async (id: number) => (await client.get(`/orders/${id}`)).json().files as { name: string; url: string }[]
    t.same(
      (await files(first)).map(({ name }) => name),
      ['First of root.bin'],
    )
    t.same(
      (await files(second)).map(({ name }) => name),
      ['Second of admin.bin', 'Payment of root.bin'],
    )
    for (const { name, url } of [...(await files(first)), ...(await files(second))]) {
      const answer = await client.get(new URL(url).pathname.replace('/api/v1', '') + new URL(url).search)
      t.match(String(answer.headers['content-disposition']), `"${name}"`)
    }

    const history = await root.get(`/orders/edit/${second}?tab=history`)
    t.match(history.body, 'Second of admin.bin')
    t.match(history.body, 'Payment of root.bin')
    t.notMatch(history.body, 'First of root.bin')

    const key = db.select().from(orders).where(eq(orders.id, first)).get()?.specification
    t.equal(await nameAt(maria, `/files/${key}?name=Made up.exe`), 'First of root.bin', 'an address makes no name up')
    await attach(cabinet, 'root', `/orders/edit/${first}`, [['specification', new File(['other bytes'], 'Other.bin')]])
    t.equal(await nameAt(maria, `/files/${key}?name=First of root.bin`), 'Second of admin.bin', 'nor one that no longer is there')
  },
)

t.test('nobody gets a name of a place that they may not see', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { id: foreign } = db
    .insert(orders)
    .values({ status_id: 1, dealer_id: cast.daria, company_id: cast.companies.beta })
    .returning()
    .get()
  await attach(cabinet, 'root', `/orders/edit/${foreign}`, [['specification', same('Secret of Beta.bin')]])
  await attach(cabinet, 'root', `/orders/edit/${cast.order}`, [['specification', same('Open.bin')]])
  const key = db.select().from(orders).where(eq(orders.id, foreign)).get()?.specification
  t.equal(await nameAt(await as('denis'), `/files/${key}?name=Secret of Beta.bin`), 'Open.bin')
  t.equal(await nameAt(await as('root'), `/files/${key}?name=Secret of Beta.bin`), 'Secret of Beta.bin')
})

t.test('companies, messages and payments with the same content call it as it is called there', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, db, cast } = cabinet
  const { alpha, beta } = cast.companies
  const row = (name: string, file: string): [string, string | File][] => [
    ['files', ''],
    ['files[0][name]', name],
    ['files[0][stored]', ''],
    ['files[0][file]', same(file)],
  ]
  await attach(cabinet, 'root', `/company/edit/${alpha}`, row('Contract of Alpha', 'first scan.bin'))
  await attach(cabinet, 'root', `/company/edit/${beta}`, row('Contract of Beta', 'second scan.bin'))
  const root = await as('root')
  for (const [company, name] of [
    [alpha, 'Alpha'],
    [beta, 'Beta'],
  ] as const) {
    t.match(await downloadsOf(root, `/company/edit/${company}?tab=files`), [new RegExp(`→ Contract of ${name}.bin$`)])
    const { files } = (await clientOf(cabinet, 'root').get(`/companies/${company}`)).json()
    t.match(files, [{ name: `Contract of ${name}`, url: new RegExp(`\\?name=Contract(%20|\\+)of(%20|\\+)${name}$`) }])
  }
  t.same(
    db
      .select({ files: companies.files })
      .from(companies)
      .where(eq(companies.id, alpha))
      .get()
      ?.files.map(({ name }) => name),
    ['Contract of Alpha'],
  )

  const [held] = db.select({ files: companies.files }).from(companies).where(eq(companies.id, alpha)).get()?.files ?? []
  await attach(cabinet, 'root', `/company/edit/${alpha}`, [
    ['files', ''],
    ['files[0][name]', 'Renamed'],
    ['files[0][stored]', held?.file ?? ''],
  ])
  const history = await root.get(`/company/edit/${alpha}?tab=history`)
  t.match(history.body, 'first scan.bin')
  t.notMatch(history.body, 'second scan.bin', 'who keeps a file has not attached it anew')

  await attach(cabinet, 'denis', `/orders/${cast.order}/messages`, [
    ['text', 'One'],
    ['files', same('Message one.bin')],
  ])
  await attach(cabinet, 'denis', `/orders/${cast.order}/messages`, [
    ['text', 'Two'],
    ['files', same('Message two.bin')],
  ])
  for (const [file, amount] of [
    ['Payment one.bin', '1'],
    ['Payment two.bin', '2'],
  ] as const)
    await attach(cabinet, 'denis', `/orders/${cast.order}/payments`, [
      ['amount', amount],
      ['date', '2026-01-15'],
      ['kind', 'transfer'],
      ['file', same(file)],
    ])
  const shown = await downloadsOf(await as('denis'), `/orders/${cast.order}`)
  for (const name of ['Message one', 'Message two', 'Payment one', 'Payment two']) t.ok(shown.includes(`${name}.bin → ${name}.bin`), name)
  const { payments } = (await clientOf(cabinet, 'denis').get(`/orders/${cast.order}`)).json()
  t.same(payments.flatMap(({ files }: { files: { name: string }[] }) => files.map(({ name }) => name)).sort(), [
    'Payment one.bin',
    'Payment two.bin',
  ])
})
