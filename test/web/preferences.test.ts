import { desc, eq } from 'drizzle-orm'
import t from 'tap'
import { changes, users } from '../../src/database/schema/index.ts'
import { type Browser, startCabinet } from '../support/cabinet.ts'
import { emailOf, password } from '../support/cast.ts'
import { tagsOf } from '../support/html.ts'

const signIn = (browser: Browser, email: string, word = password, more: Record<string, string> = {}) =>
  browser.post('/login', { email, password: word, ...more })

const languageOf = (page: { body: string }) => tagsOf(page.body, 'html')[0]?.lang

t.test('the language of pages', async (t) => {
  const { newBrowser, as, db, cast } = await startCabinet(t)
  const asked = async (header: string, browser = newBrowser()) => languageOf(await browser.get('/login', { 'accept-language': header }))

  t.test('the language follows the browser, and is English otherwise', async (t) => {
    t.equal(languageOf(await newBrowser().get('/login')), 'en')
    t.equal(await asked('ru'), 'ru')
    t.equal(await asked('ru-RU,ru;q=0.9,en;q=0.8'), 'ru')
    t.equal(await asked('en-GB,en;q=0.9,ru;q=0.8'), 'en')
    t.equal(await asked('de,fr;q=0.9'), 'en')
    t.equal(await asked('de,ru;q=0.5'), 'ru', 'the first that the cabinet speaks')
    t.equal(await asked('en;q=0.3, ru;q=0.9'), 'ru', 'the weights count, not the order')
    t.equal(await asked('*'), 'en')
    t.equal(await asked(';;,,q=;ru;'), await asked(';;,,q=;ru;'), 'nonsense is no error')
  })

  t.test('a page in Russian is translated', async (t) => {
    const page = await newBrowser().get('/login', { 'accept-language': 'ru' })
    t.match(page.body, /[а-яё]{4,}/i)
  })

  t.test('the LANGUAGE setting decides when the browser does not', async (t) => {
    const { newBrowser } = await startCabinet(t, { environment: { LANGUAGE: 'ru' } })
    t.equal(languageOf(await newBrowser().get('/login')), 'ru')
    t.equal(languageOf(await newBrowser().get('/login', { 'accept-language': 'de' })), 'ru')
    t.equal(languageOf(await newBrowser().get('/login', { 'accept-language': 'en' })), 'en')
  })

  t.test('the language chosen by a user overrides the browser, in every browser', async (t) => {
    const maria = await as('maria')
    t.equal(languageOf(await maria.get('/', { 'accept-language': 'en' })), 'en')
    const answer = await maria.post('/preferences', { language: 'ru' }, { referer: 'http://localhost/dealers?q=a' })
    t.equal(answer.statusCode, 303)
    t.equal(answer.headers.location, '/dealers?q=a', 'back to where it was chosen')
    t.equal(languageOf(await maria.get('/', { 'accept-language': 'en' })), 'ru')
    const elsewhere = newBrowser()
    await signIn(elsewhere, emailOf('maria'))
    t.equal(languageOf(await elsewhere.get('/')), 'ru')
    await maria.post('/preferences', { language: 'en' })
    t.equal(languageOf(await maria.get('/', { 'accept-language': 'ru' })), 'en')
  })

  t.test('an unknown language or theme is refused (422)', async (t) => {
    const maria = await as('maria')
    for (const fields of [{ language: 'de' }, { theme: 'pink' }, {}] as Record<string, string>[]) {
      const before = db.select().from(users).where(eq(users.id, cast.maria)).get()
      t.equal((await maria.post('/preferences', fields)).statusCode, 422)
      t.same(db.select().from(users).where(eq(users.id, cast.maria)).get(), before)
    }
  })
})

t.test('the theme follows the browser until a user chooses one', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const maria = await as('maria')
  const themeOf = async () => tagsOf((await maria.get('/')).body, 'html')[0]?.['data-bs-theme']
  const pressed = async () =>
    tagsOf((await maria.get('/')).body, 'button').filter((one) => one.name === 'theme' && one['aria-pressed'] === 'true')
  t.equal(await themeOf(), undefined, 'the browser decides at first')
  t.match(await pressed(), [{ value: 'system' }], 'and that is what is chosen')
  for (const theme of ['dark', 'light']) {
    t.equal((await maria.post('/preferences', { theme })).statusCode, 303)
    t.equal(await themeOf(), theme)
    t.match(await pressed(), [{ value: theme }])
  }
  await maria.post('/preferences', { theme: 'system' })
  t.equal(await themeOf(), undefined, 'and may decide again')
  await maria.post('/preferences', { theme: 'light' })
  await maria.get(`/impersonate/${cast.denis}`)
  await maria.post('/preferences', { theme: 'dark' })
  t.equal(await themeOf(), 'dark', 'while impersonating, too')
  const stored = (id: number) => db.select().from(users).where(eq(users.id, id)).get()?.theme
  t.equal(stored(cast.maria), 'dark', 'it is the choice of who really sits there')
  t.equal(stored(cast.denis), null)
  const [told] = db.select().from(changes).orderBy(desc(changes.id)).limit(1).all()
  t.match(told, {
    entity: 'users',
    record_id: cast.maria,
    actor_id: cast.maria,
    actor_name: 'Petrova Maria',
    fields: { theme: ['light', 'dark'] },
  })
  t.equal((await maria.post('/preferences', { language: 'ru', theme: 'light' })).headers.location, '/', 'without a page to go back to')
  const { language, theme } = db.select().from(users).where(eq(users.id, cast.maria)).get() ?? {}
  t.same([language, theme], ['ru', 'light'], 'both at once')
  db.update(users).set({ language: 'en', theme: 'dark' }).where(eq(users.id, cast.denis)).run()
  const page = await maria.get('/', { 'accept-language': 'en' })
  t.same([languageOf(page), await themeOf()], ['ru', 'light'], 'whoever impersonates reads in their own language and theme')
})
