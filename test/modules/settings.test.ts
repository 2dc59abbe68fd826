import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { desc } from 'drizzle-orm'
import ExcelJS from 'exceljs'
import sharp from 'sharp'
import t from 'tap'
import { changes, settings, uploads } from '../../src/database/schema/index.ts'
import { findSettings } from '../../src/database/settings.ts'
import { folderOf } from '../../src/http/uploads/folder.ts'
import { sweepUploads } from '../../src/records/sweep-uploads.ts'
import { type Answer, htmx, startCabinet } from '../support/cabinet.ts'
import { revoke } from '../support/cast.ts'
import { filesOf, keyOf, submitForm } from '../support/files.ts'
import { attributesOf, elementById, elementsOf, errorsOf, fieldOf, parseHtml, tagsOf, textOf } from '../support/html.ts'
import { insertEntry } from '../support/ledger.ts'
import { setOrder } from '../support/orders.ts'
import { textsIn } from '../support/parts.ts'
import { dayIn } from '../support/products.ts'

t.test('a superadministrator changes the organization name, and every page and the sign-in page show it', async (t) => {
  const { as, db, newBrowser } = await startCabinet(t)
  const root = await as('root')
  const saved = await root.post('/settings', { name: 'Okna & Co', sign_in_note: 'Help: +7 900', inn: '7707083893' })
  t.match(saved, { statusCode: 303, headers: { location: '/settings' } })
  t.match(findSettings(db), { name: 'Okna & Co', sign_in_note: 'Help: +7 900', inn: '7707083893', version: 2 })
  t.match(parseHtml((await (await as('denis')).get('/')).body)('title').text(), / · Okna & Co$/)
  const signIn = (await newBrowser().get('/login')).body
  t.match(signIn, 'Okna &amp; Co')
  t.match(signIn, 'Help: +7 900')
  t.match(db.select().from(changes).orderBy(desc(changes.id)).get(), {
    entity: 'settings',
    label: 'Okna & Co',
    fields: { name: [null, 'Okna & Co'] },
  })
  t.match(textOf((await root.get('/settings?tab=history')).body), 'Organization name')
  t.match((await root.get('/activity?kind=settings')).body, 'href="/settings?tab=history"')
  t.equal(fieldOf(await root.get('/settings'), 'name')?.value, 'Okna & Co')
  await root.post('/settings', { inn: '' })
  const last = db.select().from(changes).orderBy(desc(changes.id)).get()
  t.match(last, { label: 'Okna & Co', fields: { inn: ['7707083893', null] } }, 'another change has the name, too')
})

t.test(
  'legal details of the organization with wrong check digits are refused at their fields, with all else; what is typed is warned of',
  async (t) => {
    const { as, db } = await startCabinet(t)
    const root = await as('root')
    const warnings = ({ body }: Answer) => elementsOf(body, '[data-warning]').map((element) => attributesOf(element).id)
    t.same(warnings(await root.get('/settings')), [])
    const wrong = { inn: '7707083890', ogrn: '1027700132190', bik: '04452522', rs: '1', cs: '30101810400000000226' }
    const refused = await root.post('/settings', { ...wrong, name: 'Okna & Co', price_days: '0' })
    t.equal(refused.statusCode, 422)
    t.same(Object.keys(errorsOf(refused)).sort(), ['bik', 'inn', 'ogrn', 'price_days'], 'accounts are compared with a right BIK only')
    const page = parseHtml(refused.body)
    t.same(
      ['name', ...Object.keys(wrong)].map((name) => page(`[name=${name}]`).val()),
      ['Okna & Co', ...Object.values(wrong)],
    )
    t.equal((await root.post('/settings', wrong)).statusCode, 422)
    t.match(findSettings(db), { name: null, inn: null, version: 1 }, 'nothing is saved')
    const ids = ['inn-warning', 'ogrn-warning', 'bik-warning']
    for (const name of Object.keys(wrong)) {
      const address = page(`[name=${name}]`).attr('hx-get')
      const live = await root.get(`${address}?${new URLSearchParams(wrong)}`, htmx)
      t.same(warnings(live), ids, `${name} is checked as it is typed`)
    }
  },
)

t.test('legal details that were saved before they were refused hinder no other change', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  db.update(settings).set({ inn: '7707083890', bik: '044525225', rs: '40702810638000000000' }).run()
  t.match(await root.post('/settings', { name: 'Okna & Co', inn: '7707083890' }), { statusCode: 303 })
  t.match(errorsOf(await root.post('/settings', { bik: '044525226' })), { rs: 'The account does not match the BIK.' })
})

t.test('who may close periods sets the day, forward and back, sees nothing else of the settings, and the history keeps it', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  t.notMatch((await admin.get('/ledger')).body, '/settings/closing', 'nothing to close while there are no entries')
  insertEntry(db, cast.companies.alpha)
  t.match((await admin.get('/ledger')).body, '/settings/closing')
  const page = await admin.get('/settings/closing')
  t.ok(fieldOf(page, 'closed_until'))
  for (const name of ['name', 'inn', 'vat', 'price_days']) t.equal(fieldOf(page, name), undefined, name)
  const save = (closed_until: string, more = {}) => admin.post('/settings', { closed_until, ...more })
  t.equal((await save('2026-03-31', { name: 'Mine', price_days: '1' })).statusCode, 403)
  t.match(await save('2026-03-31'), { statusCode: 303, headers: { location: '/ledger' } })
  t.match(findSettings(db), { closed_until: '2026-03-31', name: null, price_days: 14 })
  t.equal((await save('2026-02-28')).statusCode, 303)
  t.equal((await save('')).statusCode, 303)
  t.equal(findSettings(db).closed_until, null)
  for (const day of [dayIn(0), dayIn(1), 'x']) {
    const refused = await save(day)
    t.equal(refused.statusCode, 422, day)
    t.match(errorsOf(refused), { closed_until: /Choose a day before today|Enter a valid date/ })
  }
  t.equal((await save(dayIn(-1))).statusCode, 303)
  const days = db
    .select()
    .from(changes)
    .orderBy(changes.id)
    .all()
    .flatMap(({ entity, fields }) => (entity === 'settings' ? [fields.closed_until] : []))
  t.same(days, [
    [null, '2026-03-31'],
    ['2026-03-31', '2026-02-28'],
    ['2026-02-28', null],
    [null, dayIn(-1)],
  ])
  revoke(db, cast.admin, 'period_can_close')
  t.equal((await (await as('admin')).get('/settings/closing')).statusCode, 403)
  t.notMatch((await (await as('admin')).get('/ledger')).body, '/settings/closing')
  t.equal((await (await as('maria')).post('/settings', { closed_until: '' })).statusCode, 403)
})

t.test('a superadministrator sets the catalog, the VAT rate and the days that prices hold, and the history says so', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const before = await root.get('/settings')
  t.same(
    ['vat', 'price_days'].map((name) => fieldOf(before, name)?.value),
    ['', '14'],
  )
  t.notOk(isChecked(before, 'catalog'), 'off after an upgrade')
  t.equal((await root.post('/settings', { catalog: '1', vat: '20', price_days: '30' })).statusCode, 303)
  t.match(findSettings(db), { catalog: true, vat: '20', price_days: 30 })
  t.ok(isChecked(await root.get('/settings'), 'catalog'))
  const history = textOf((await root.get('/settings?tab=history')).body)
  for (const words of ['Orders use the product catalog', 'VAT 20%', 'Days that order prices hold']) t.match(history, words)
  const russian = textOf((await root.get('/settings', { 'accept-language': 'ru' })).body)
  for (const words of ['Заказы по каталогу товаров', 'НДС 22 %', 'Без НДС', 'Не указывать']) t.match(russian, words)
  for (const [name, wrong] of [
    ['vat', '18'],
    ['vat', '-1'],
    ['price_days', '0'],
    ['price_days', '366'],
    ['price_days', '1,5'],
    ['price_days', ''],
    ['catalog', 'on'],
  ] as const) {
    const refused = await root.post('/settings', { [name]: wrong })
    t.equal(refused.statusCode, 422, `${name} ${wrong}`)
    t.ok(errorsOf(refused)[name])
  }
  t.match(findSettings(db), { catalog: true, vat: '20', price_days: 30 })
  t.equal((await root.post('/settings', { catalog: '0', vat: '' })).statusCode, 303)
  t.match(findSettings(db), { catalog: false, vat: null, price_days: 30 })
  t.equal((await (await as('admin')).post('/settings', { catalog: '1' })).statusCode, 403)
})

const isChecked = (answer: Answer, name: string) => parseHtml(answer.body)(`input[type=checkbox][name="${name}"]`).is('[checked]')

/** The contrast ratio of two colors, as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

t.test('an accent color is served as a stylesheet, dark enough for white text', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const root = await as('root')
  t.equal((await newBrowser().get('/accent.css')).body, '')
  await root.post('/settings', { accent: '#ffee00' })
  const served = async () => {
    const [, light = '', dark = ''] = /light-dark\((#[\da-f]{6}),(#[\da-f]{6})\)/.exec((await newBrowser().get('/accent.css')).body) ?? []
    return { light, dark }
  }
  t.notSame(await served(), { light: '#ffee00', dark: '#ffee00' })
  const links = tagsOf((await root.get('/')).body, 'link').map(({ href }) => href)
  t.ok(links.includes('/accent.css?v=2'))
  for (const color of ['#ffee00', '#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff', '#777777', '#4299e1']) {
    await root.post('/settings', { accent: color })
    const { light, dark } = await served()
    t.ok(contrast(light, '#ffffff') >= 4.5, `${color}: ${light} has ${contrast(light, '#ffffff')} to white text`)
    t.ok(contrast(dark, '#ffffff') >= 4.5, `${color}: ${dark} has ${contrast(dark, '#ffffff')} to white text in the dark`)
    t.ok(contrast(dark, '#000000') >= 4, `${color}: ${dark} has ${contrast(dark, '#000000')} to a dark page`)
  }
  await root.post('/settings', { accent: '#046' })
  t.equal((await served()).light, '#004466', 'a readable color is served as chosen')
  const refused = await root.post('/settings', { accent: 'blue' })
  t.equal(refused.statusCode, 422)
  t.match(errorsOf(refused).accent, 'Enter a color like')
})

t.test('a browser without a language preference gets the default language', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const root = await as('root')
  const offered = elementsOf((await root.get('/settings')).body, 'select[name=language] option').map(textOf)
  t.same(offered, ['Environment default', 'English', 'Русский'])
  await root.post('/settings', { language: 'ru' })
  t.match((await newBrowser().get('/login')).body, /<html\s+lang="ru"/)
  t.match((await newBrowser().get('/login', { 'accept-language': 'en' })).body, /<html\s+lang="en"/)
})

t.test('the environment tab shows every setting, and of secrets only whether they are set', async (t) => {
  const { as } = await startCabinet(t, { environment: { READY_TOKEN: 'a very secret token', TZ: 'Europe/Moscow' } })
  const page = await (await as('root')).get('/settings?tab=environment')
  t.equal(page.statusCode, 200)
  t.notMatch(page.body, 'a very secret token')
  t.match(
    textOf(elementById(page, 'environment-READY_TOKEN') ?? ''),
    'Lets other machines ask whether the service is ready READY_TOKEN set',
  )
  t.match(textOf(elementById(page, 'environment-TZ') ?? ''), 'Europe/Moscow')
  t.match(textOf(elementById(page, 'environment-SMTP_URL') ?? ''), '—')
  const purposes = elementsOf(page.body, '[id^=environment-] .form-hint').map(textOf)
  t.equal(new Set(purposes).size, elementsOf(page.body, '[id^=environment-]').length, 'each with a word of its own on what it does')
  t.notOk(purposes.includes(''))
})

t.test('mail and time zone stand apart from other variables, with what they are for and an example', async (t) => {
  const { as } = await startCabinet(t, { environment: { TZ: 'Europe/Moscow' } })
  const { body } = await (await as('root')).get('/settings?tab=environment')
  const namesOf = (part: string) => textsIn(body, `${part} tbody code`)
  t.same(namesOf('#mail'), ['SMTP_URL', 'SMTP_TLS', 'MAIL_FROM'])
  t.same(namesOf('#time-zone'), ['TZ'])
  t.equal(new Set(namesOf('main')).size, namesOf('main').length, 'each once')
  t.ok(namesOf('#service').includes('HOST'))
  const [example = ''] = textsIn(body, '#mail pre')
  for (const name of ['SMTP_URL=smtps://', 'MAIL_FROM=']) t.match(example, name)
  t.match(textsIn(body, '#time-zone p').join(), /Now it is: /)
})

t.test('administrators and managers cannot open the settings (403)', async (t) => {
  const { as } = await startCabinet(t)
  for (const name of ['admin', 'maria'] as const) {
    const browser = await as(name)
    t.equal((await browser.get('/settings')).statusCode, 403)
    t.equal((await browser.post('/settings', { name: 'x' })).statusCode, 403)
    t.notMatch((await browser.get('/')).body, 'href="/settings"')
  }
})

t.test('two superadministrators change the same setting: the second is shown both versions (409)', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  await root.post('/settings', { name: 'First', version: 1 })
  const clash = await root.post('/settings', { name: 'Second', version: 1 })
  t.equal(clash.statusCode, 409)
})

/** A wide picture, half of it transparent. */
const logo = (background: string) =>
  sharp({ create: { width: 900, height: 300, channels: 4, background } })
    .png()
    .toBuffer()

t.test('an uploaded logo is re-encoded, shown on every page, the sign-in page and order sheets, and kept by housekeeping', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, db, cast, newBrowser } = cabinet
  const { dataDir } = app.config
  const root = await as('root')
  const visitor = newBrowser()
  t.equal((await visitor.get('/logo/light')).statusCode, 404)
  const picture = (content: Buffer, name = 'logo.png') => new File([content as never], name)
  const saved = await submitForm(root, '/settings', [
    ['name', 'Okna & Co'],
    ['logo', picture(await logo('#ff0000'))],
    ['logo_dark', picture(await logo('#0000ff'))],
  ])
  t.equal(saved.statusCode, 303, saved.body)
  const light = await visitor.get('/logo/light')
  t.match(light, { statusCode: 200, headers: { 'content-type': 'image/webp', 'cache-control': /public/ } })
  t.match(await sharp(light.rawPayload).metadata(), { format: 'webp', width: 480, height: 160 })
  t.not(light.rawPayload.equals((await visitor.get('/logo/dark')).rawPayload), true)
  for (const theme of ['other', '__proto__', 'constructor']) t.equal((await visitor.get(`/logo/${theme}`)).statusCode, 404, theme)
  for (const page of [await visitor.get('/login'), await (await as('denis')).get('/')]) {
    const shown = tagsOf(page.body, 'img').filter(({ class: name }) => name?.startsWith('brand-logo'))
    t.match(shown, [
      { src: '/logo/light?v=2', alt: 'Okna & Co' },
      { src: '/logo/dark?v=2', alt: 'Okna & Co' },
    ])
  }
  const sheet = tagsOf((await root.get(`/orders/${cast.order}/sheet`)).body, 'img')
  t.match(sheet, [{ src: '/logo/light?v=2', alt: 'Okna & Co' }])
  db.update(uploads).set({ at: 0 }).run()
  await sweepUploads(app)
  const previews = tagsOf((await root.get('/settings')).body, 'img').filter(({ class: name }) => name === 'stored-picture')
  t.equal(previews.length, 2)
  for (const { src } of previews)
    t.equal((await root.get(String(src))).statusCode, 200, 'the form shows a logo in use long after its upload')
  for (const name of filesOf(cabinet).filter((name) => name.endsWith('-480'))) rmSync(join(folderOf(dataDir, name), name))
  for (const theme of ['light', 'dark']) {
    const restored = await visitor.get(`/logo/${theme}`)
    t.equal(restored.statusCode, 200, `a ${theme} logo in use is kept, and shown when a backup without small copies was restored`)
    t.match(await sharp(restored.rawPayload).metadata(), { format: 'webp', width: 900 })
  }
  const bytesOf = async (theme: string) => (await visitor.get(`/logo/${theme}`)).rawPayload.toString('base64')
  const lightBytes = await bytesOf('light')
  await root.post('/settings', { 'logo_dark[stored]': '' })
  t.equal(await bytesOf('dark'), lightBytes, 'one logo serves both themes')
  await submitForm(root, '/settings', [
    ['logo[stored]', ''],
    ['logo_dark', picture(await logo('#0000ff'))],
  ])
  t.equal(await bytesOf('light'), await bytesOf('dark'), 'whichever it is')
  t.not(await bytesOf('light'), lightBytes)
  const removed = await root.post('/settings', { 'logo[stored]': '', 'logo_dark[stored]': '' })
  t.equal(removed.statusCode, 303)
  t.equal((await visitor.get('/logo/light')).statusCode, 404)
})

t.test('settings have limits: what just fits is saved, and one more is refused at its field (422)', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  const stored = () => db.select().from(settings).get() as Record<string, unknown>
  const limits: [name: string, fits: (string | number)[], refused: (string | number)[]][] = [
    ['name', ['n'.repeat(60)], ['n'.repeat(61)]],
    ['sign_in_note', ['s'.repeat(300)], ['s'.repeat(301)]],
    ['currency_symbol', ['BYN', 'р.', '€', 'abcde'], ['abcdef', '1', '"$"', '_', '.р']],
    ['decimals', [0, 2], [3, -1, '1.5', 'two']],
    ['price_days', [1, 365], [0, 366, '']],
    ['accent', ['#123456'], ['#12345', 'red']],
    ['language', ['ru', 'en'], ['de']],
  ]
  for (const [name, fits, refused] of limits) {
    for (const value of fits) {
      t.equal((await root.post('/settings', { [name]: value })).statusCode, 303, `${name} ${value}`)
      t.equal(String(stored()[name]), String(value))
    }
    const before = stored()
    for (const value of refused) {
      const answer = await root.post('/settings', { [name]: value })
      t.equal(answer.statusCode, 422, `${name} ${value}`)
      t.same(Object.keys(errorsOf(answer)), [name])
    }
    t.same(stored(), before, `${name}: nothing is saved`)
  }
})

t.test('a logo must be a raster image (415) that was uploaded as the logo (422)', async (t) => {
  const { as, cast } = await startCabinet(t)
  const root = await as('root')
  const drawing = new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'logo.svg', { type: 'image/svg+xml' })
  const refused = await submitForm(root, '/settings', [['logo', drawing]])
  t.equal(refused.statusCode, 415)
  t.match(errorsOf(refused).logo, 'Use a JPEG, PNG, WebP, GIF, or AVIF image.')
  const content = 'plain'
  await submitForm(root, `/company/edit/${cast.companies.alpha}`, [['files[0][file]', new File([content], 'a.txt')]])
  const other = await root.post('/settings', { 'logo[stored]': keyOf(content) })
  t.equal(other.statusCode, 422)
  t.match(errorsOf(other).logo, 'File not found. Choose it again.')
})

t.test('currency symbol and decimal places apply to every amount: page, list, order sheet, order form and spreadsheet', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const root = await as('root')
  setOrder(cabinet, 'new', { cost: 1_234_00 })
  const order = `/orders/${cast.order}`
  t.match((await root.get(order)).body, /,\d\d\u00a0₽/)
  t.equal((await root.post('/settings', { currency_symbol: '€', decimals: '0' })).statusCode, 303)
  for (const path of [order, '/orders', `${order}/sheet`, `/orders/edit/${cast.order}`]) {
    const { body } = await root.get(path)
    t.notMatch(body, '₽', path)
    t.match(body, /\d\u00a0€/, path)
    t.notMatch(body, /,\d\d\u00a0€/, path)
  }
  t.match((await root.get(order)).body, /data-currency="€"\s+data-decimals="0"/, 'for the total that the browser counts')
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load((await root.get('/orders/export')).rawPayload as never)
  const sheet = workbook.worksheets[0]
  const column = (sheet?.getRow(1).values as string[] | undefined)?.indexOf('Cost')
  t.equal(sheet?.getRow(2).getCell(column ?? 0).numFmt, '#,##0\u00a0"€"')
  for (const [name, value] of [
    ['currency_symbol', '"'],
    ['currency_symbol', '5%'],
    ['decimals', '3'],
  ] as const)
    t.equal((await root.post('/settings', { [name]: value })).statusCode, 422, `${name} ${value}`)
})
