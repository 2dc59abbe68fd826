import { eq } from 'drizzle-orm'
import { passkeys } from '../../src/database/schema/index.ts'
import {
  browserTest,
  type OpenCabinet,
  openCabinet,
  overflow,
  type Page,
  type PageOptions,
  type Test,
  violations,
} from '../support/browser.ts'
import { emailOf, type Name, password } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'
import { sendJson, signInOptions } from '../support/passkeys.ts'
import { virtualAuthenticator } from '../support/virtual-authenticator.ts'

const texts = {
  'en-GB': {
    add: 'Add passkey',
    added: /Passkey .+ added/,
    signIn: 'Sign in with a passkey',
    refused: 'This passkey was not accepted.',
    wrong: 'Wrong current password.',
    known: 'This device already has a passkey',
    canceled: 'Canceled, or it took too long',
    failed: 'That did not work',
  },
  'ru-RU': {
    add: 'Добавить ключ доступа',
    added: /Добавлен ключ доступа/,
    signIn: 'Войти с ключом доступа',
    refused: 'Этот ключ доступа не принят',
    wrong: 'Неверный текущий пароль',
    known: 'На этом устройстве уже есть ключ',
    canceled: 'Отменено, или время вышло',
    failed: 'Не получилось',
  },
}

/** Browsers make no passkeys for 127.0.0.1, where the tests listen. */
const localhost = ({ origin }: OpenCabinet, path: string) => origin.replace('127.0.0.1', 'localhost') + path

async function enter(cabinet: OpenCabinet, page: Page, name: Name): Promise<void> {
  await page.goto(localhost(cabinet, '/login'))
  await page.locator('input[name=email]').fill(emailOf(name))
  await page.locator('input[name=password]').fill(password)
  await page.locator('.sign-in .btn-primary').click()
  await page.waitForURL((url) => url.pathname === '/')
}

/** An open page would still ask for its stream of events, now as nobody. */
async function leave(cabinet: OpenCabinet, page: Page): Promise<void> {
  await page.goto(localhost(cabinet, '/healthz'))
  await page.context().clearCookies()
}

async function addPasskey(cabinet: OpenCabinet, page: Page, add: string, typed = password): Promise<void> {
  await page.goto(localhost(cabinet, '/profile?tab=security'))
  await page.locator('#passkey-password').fill(typed)
  await page.getByRole('button', { name: add }).click()
}

async function signInWithPasskey(cabinet: OpenCabinet, page: Page, label: string): Promise<void> {
  await page.goto(localhost(cabinet, '/login'))
  await page.getByRole('button', { name: label }).click()
}

async function looksFine(t: Test, page: Page, name: string): Promise<void> {
  t.same(await violations(page), [], `${name} is accessible`)
  t.equal(await overflow(page), 0, `${name} does not scroll sideways`)
}

function journey(name: string, options: PageOptions, body: (t: Test, cabinet: OpenCabinet, page: Page) => Promise<void>): void {
  browserTest(name, async (t, cabinet) => {
    cabinet.provoked.push(/^(422|404|401) |INTERNET_DISCONNECTED|htmx:(sse|error)/)
    await body(t, cabinet, await cabinet.newPage(options))
  })
}

for (const [locale, text] of Object.entries(texts).slice(0, 1))
  journey(`a user adds a passkey and signs in with it, in ${locale}`, { locale }, async (t, cabinet, page) => {
    const device = await virtualAuthenticator(page)
    await enter(cabinet, page, 'denis')
    await addPasskey(cabinet, page, text.add, 'wrong')
    await page.getByRole('alert').filter({ hasText: text.wrong }).waitFor()
    t.equal(await page.locator('#passkey-password').getAttribute('aria-invalid'), 'true')
    t.equal(await page.locator('#passkey-password').getAttribute('aria-describedby'), 'current_password-error')
    await looksFine(t, page, 'the tab with a wrong password')
    const [typed, button] = [page.locator('#passkey-password'), page.getByRole('button', { name: text.add })]
    await typed.fill(password)
    await device.verifyUser(false)
    await button.click()
    await page.getByRole('alert').filter({ hasText: text.canceled }).waitFor()
    t.equal(await typed.getAttribute('aria-invalid'), null, 'the password was right')
    t.ok(await button.evaluate((one) => one.matches(':focus:enabled')), 'to be tried again')
    await page.context().setOffline(true)
    await button.click()
    await page.getByRole('alert').filter({ hasText: text.failed }).waitFor()
    await page.context().setOffline(false)
    await device.verifyUser(true)
    await button.click()
    await page.getByRole('status').filter({ hasText: text.added }).waitFor()
    await looksFine(t, page, 'the tab with a passkey')
    await addPasskey(cabinet, page, text.add)
    await page.getByRole('alert').filter({ hasText: text.known }).waitFor()

    await leave(cabinet, page)
    await page.goto(localhost(cabinet, '/login?next=/orders'))
    await looksFine(t, page, 'the sign-in page')
    await device.verifyUser(false)
    await page.getByRole('button', { name: text.signIn }).click()
    await page.getByRole('alert').filter({ hasText: text.canceled }).waitFor()
    await device.verifyUser(true)
    await page.getByRole('button', { name: text.signIn }).click()
    await page.waitForURL((url) => url.pathname === '/orders')

    await page.goto(localhost(cabinet, '/profile?tab=security'))
    await page.locator('tr[id^=passkeys-] button').click()
    await page.locator('tr[id^=passkeys-]').waitFor({ state: 'detached' })
    await page.context().clearCookies()
    await typed.fill(password)
    await button.click()
    await page.waitForURL((url) => url.pathname === '/login')
    await page.getByRole('button', { name: text.signIn }).click()
    await page.getByRole('alert').filter({ hasText: text.refused }).waitFor()
    t.equal(new URL(page.url()).pathname, '/login', 'a removed passkey opens nothing')
  })

journey('a copied key with an old counter is refused, and the password still works', {}, async (t, cabinet, page) => {
  const device = await virtualAuthenticator(page)
  const { add, refused, signIn } = texts['en-GB']
  await enter(cabinet, page, 'denis')
  await addPasskey(cabinet, page, add)
  await page.getByRole('status').filter({ hasText: 'added' }).waitFor()
  const copy = (await device.credentials())[0] as Awaited<ReturnType<typeof device.credentials>>[number]
  for (const _ of [1, 2]) {
    await leave(cabinet, page)
    await signInWithPasskey(cabinet, page, signIn)
    await page.waitForURL((url) => url.pathname === '/')
  }
  const counted = cabinet.db.select().from(passkeys).get()?.counter
  t.ok(Number(counted) > copy.signCount)
  await device.replaceCredential(copy)
  await leave(cabinet, page)
  await signInWithPasskey(cabinet, page, signIn)
  await page.getByRole('alert').filter({ hasText: refused }).waitFor()
  t.equal(cabinet.db.select().from(passkeys).get()?.counter, counted)
  await enter(cabinet, page, 'denis')
})

journey('at another address a passkey is not offered, and what it signs there opens nothing', {}, async (t, cabinet, page) => {
  await virtualAuthenticator(page)
  await enter(cabinet, page, 'denis')
  await addPasskey(cabinet, page, texts['en-GB'].add)
  await page.getByRole('status').filter({ hasText: 'added' }).waitFor()
  const ip = await cabinet.newPage()
  await ip.goto('/login')
  t.equal(await ip.locator('[data-passkey]').count(), 0, 'a bare IP address')
  const elsewhere = await openCabinet(t, { environment: { PUBLIC_URL: 'https://cabinet.example.com' } })
  const strange = await elsewhere.newPage()
  await strange.goto(localhost(elsewhere, '/login'))
  await strange.locator('input[name=email]').waitFor()
  t.equal(await strange.locator('[data-passkey]').isVisible(), false, 'a name that is not the public one')

  // The same browser and device, at a page of somebody else who passes on what the cabinet asks.
  const relay = cabinet.newBrowser()
  await page.goto(localhost(elsewhere, '/login'))
  const signHere = async () => {
    const options = JSON.stringify(await signInOptions(relay))
    return page.evaluate<string>(`navigator.credentials
      .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${options}) })
      .then((credential) => JSON.stringify(credential))`)
  }
  const answer = await sendJson(relay, '/login/passkey', JSON.parse(await signHere()))
  t.equal(answer.statusCode, 422)
  await page.goto(localhost(cabinet, '/login'))
  t.equal(
    (await sendJson(relay, '/login/passkey', JSON.parse(await signHere()))).statusCode,
    200,
    'signed at the right address it would do',
  )
})

journey(
  'an invitation is accepted with a passkey on a phone',
  { locale: 'ru-RU', viewport: { width: 375, height: 750 } },
  async (t, cabinet, page) => {
    await virtualAuthenticator(page)
    const root = await cabinet.as('root')
    const fields = { lastname: 'New', name: 'Nina', email: 'nina@example.com', active: '1', invite: '1' }
    const { location } = (await root.post('/managers/add', fields)).headers
    const link = parseHtml((await root.get(String(location))).body)('[data-invitation]').attr('data-invitation') as string
    await page.goto(localhost(cabinet, new URL(link).pathname))
    await page.getByRole('button', { name: 'Создать ключ доступа и войти' }).waitFor()
    await looksFine(t, page, 'the invitation')
    await page.getByRole('button', { name: 'Создать ключ доступа и войти' }).click()
    await page.waitForURL((url) => url.pathname === '/')
  },
)

journey('two people at one browser sign in as themselves', {}, async (t, cabinet, page) => {
  const device = await virtualAuthenticator(page)
  const { add, signIn } = texts['en-GB']
  for (const name of ['denis', 'maria'] as const) {
    await leave(cabinet, page)
    await enter(cabinet, page, name)
    await addPasskey(cabinet, page, add)
    await page.getByRole('status').filter({ hasText: 'added' }).waitFor()
  }
  const both = await device.credentials()
  t.equal(both.length, 2)
  const credentialOf = (userId: number) => {
    const row = cabinet.db.select().from(passkeys).where(eq(passkeys.user_id, userId)).get()
    return both.find(({ credentialId }) => Buffer.from(credentialId, 'base64').toString('base64url') === row?.credential_id)
  }
  for (const [id, name] of [
    [cabinet.cast.denis, 'Denisov'],
    [cabinet.cast.maria, 'Petrova'],
  ] as const) {
    await device.keepOnly(credentialOf(id) as (typeof both)[number])
    await leave(cabinet, page)
    await signInWithPasskey(cabinet, page, signIn)
    await page.waitForURL((url) => url.pathname === '/')
    t.match(await page.locator('.account-name strong').textContent(), name)
  }
})

journey(
  'without JavaScript the password works as before, and nothing is offered that does not',
  { javaScriptEnabled: false },
  async (t, cabinet, page) => {
    await enter(cabinet, page, 'denis')
    await page.goto(localhost(cabinet, '/profile?tab=security'))
    t.equal(await page.getByRole('button', { name: texts['en-GB'].add }).isVisible(), false)
    await leave(cabinet, page)
    await page.goto(localhost(cabinet, '/login'))
    t.equal(await page.getByRole('button', { name: texts['en-GB'].signIn }).isVisible(), false)
  },
)
