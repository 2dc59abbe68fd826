import { desc } from 'drizzle-orm'
import t from 'tap'
import { readableAccent } from '../../src/core/accent.ts'
import { changes } from '../../src/database/schema/index.ts'
import { findSettings } from '../../src/database/settings.ts'
import { startCabinet } from '../support/cabinet.ts'
import { elementById, errorsOf, fieldOf, parseHtml, tagsOf, textOf } from '../support/html.ts'

t.test('a superadministrator names the installation, and every page and the sign-in page show it', async (t) => {
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
})

t.test('an accent color is served as a stylesheet, dark enough for white text', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  const root = await as('root')
  t.equal((await newBrowser().get('/accent.css')).body, '')
  await root.post('/settings', { accent: '#ffee00' })
  const { light, dark } = readableAccent('#ffee00')
  t.not(light, '#ffee00')
  t.match((await newBrowser().get('/accent.css')).body, `light-dark(${light},${dark})`)
  const links = tagsOf((await root.get('/')).body, 'link').map(({ href }) => href)
  t.ok(links.includes('/accent.css?v=2'))
  t.equal(readableAccent('#046').light, '#004466', 'a readable color stays as chosen')
  for (const color of ['#000000', '#ffffff', '#ff0000', '#00ff00', '#0000ff'])
    t.match(readableAccent(color), { light: /^#[\da-f]{6}$/, dark: /^#[\da-f]{6}$/ })
  const refused = await root.post('/settings', { accent: 'blue' })
  t.equal(refused.statusCode, 422)
  t.match(errorsOf(refused).accent, 'Enter a color like')
})

t.test('the default language speaks to browsers that ask for none', async (t) => {
  const { as, newBrowser } = await startCabinet(t)
  await (await as('root')).post('/settings', { language: 'ru' })
  t.match((await newBrowser().get('/login')).body, '<html lang="ru"')
  t.match((await newBrowser().get('/login', { 'accept-language': 'en' })).body, '<html lang="en"')
})

t.test('settings of the environment are shown, of secrets only that they are set', async (t) => {
  const { as } = await startCabinet(t, { environment: { READY_TOKEN: 'a very secret token', TZ: 'Europe/Moscow' } })
  const page = await (await as('root')).get('/settings?tab=environment')
  t.equal(page.statusCode, 200)
  t.notMatch(page.body, 'a very secret token')
  t.match(textOf(elementById(page, 'environment-READY_TOKEN') ?? ''), 'READY_TOKEN set')
  t.match(textOf(elementById(page, 'environment-TZ') ?? ''), 'Europe/Moscow')
  t.match(textOf(elementById(page, 'environment-SMTP_URL') ?? ''), '—')
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

t.test('of two people who change the same setting, the second is shown both versions (409)', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  await root.post('/settings', { name: 'First', version: 1 })
  const clash = await root.post('/settings', { name: 'Second', version: 1 })
  t.equal(clash.statusCode, 409)
})
