import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
  type Response,
} from 'playwright-core'
import t from 'tap'
import { createPool, type PooledBrowser } from './browser-pool.ts'
import { startCabinet } from './cabinet.ts'
import { emailOf, type Name, password } from './cast.ts'
import { atEndOfRun } from './end-of-run.ts'

export type { Locator, Page, Response }
export type Test = typeof t
export type PageOptions = Pick<
  BrowserContextOptions,
  'javaScriptEnabled' | 'locale' | 'viewport' | 'colorScheme' | 'serviceWorkers' | 'hasTouch' | 'isMobile'
>

/** `THROTTLE=6` makes the processor of the browser six times slower, and answers late and out of order. */
const slowness = Number(process.env.THROTTLE ?? 1)

/** How long a page may take, in milliseconds: what is wrong should be told soon, and a busy machine is not wrong. */
function patience(): number {
  const load = (loadavg()[0] ?? 0) / availableParallelism()
  return 5000 * Math.min(6, Math.max(2, load)) * Math.min(3, slowness)
}

const chrome = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    // Two processes less, a twentieth of what a test in the browser takes.
    '--in-process-gpu',
    '--enable-features=NetworkServiceInProcess2',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // A page lives too briefly for better code to pay: axe takes a third less time without.
    '--js-flags=--no-maglev,--no-turbofan',
  ],
})
atEndOfRun(() => chrome.close())

/**
 * A test of the real application in a real browser; fails if a page logged an error.
 * The tests of a file share one cabinet and what browsers keep of it; whatever a test wrote is taken back when it ends.
 */
export function browserTest(name: string, body: (t: Test, cabinet: OpenCabinet) => Promise<void>, parent: Test = t) {
  return parent.test(name, async (test) => {
    shared ??= openCabinet({ teardown: atEndOfRun })
    const cabinet = await shared
    cabinet.db.$client.exec('begin')
    try {
      await inTime(body(test as Test, cabinet))
      test.same(cabinet.complaints, [], 'no console error, no policy violation, no failed request')
    } finally {
      await inTime(cabinet.endTest()).finally(() => cabinet.db.$client.exec('rollback'))
    }
  })
}

/**
 * Ends a test that waits for what never comes, as what runs in a page may: soon enough for the runner to hear what else the file says before
 * it gives up on it. The long runs have longer.
 */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  return within(process.env.LONG_RUN ? 3_000_000 : 300_000, work, () => {
    const addresses = chrome.contexts().flatMap((context) => context.pages().map((page) => page.url()))
    return `the test did not end; open pages: ${addresses.join(' ')}`
  })
}

async function within<T>(limit: number, work: Promise<T>, problem: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error(`${problem()} (after ${Math.round(limit / 1000)} seconds)`)), limit)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** The file that a browser fetches when somebody does this, with its place on the disk. */
export async function download(page: Page, act: () => Promise<void>): Promise<{ name: string; path: string }> {
  const begun = page.waitForEvent('download')
  await act()
  const file = await begun
  const name = file.suggestedFilename()
  const path = await within(2 * patience(), file.path(), () => `the download of ${name} did not end`)
  return { name, path }
}

let shared: Promise<OpenCabinet> | undefined

export async function openCabinet(test: Pick<Test, 'teardown'>, options: Parameters<typeof startCabinet>[1] = {}) {
  const cabinet = await startCabinet(test, { ...options, ...(slowness > 1 && { onSend: delayAnswer }) })
  const origin = await cabinet.app.listen({ host: '127.0.0.1', port: 0 })
  const baseURL = origin + cabinet.app.config.baseUrl
  const problems: string[] = []
  /** Failures a test provokes, such as `422 /dealers/edit/1`. */
  const expectedErrors: RegExp[] = []
  const pool = createPool(chrome, prepareContext, prepareWindow)
  const signedIn = new Map<string, Promise<PooledBrowser>>()
  test.teardown(() => ends(Promise.all(pool.all().map((context) => context.close()))))

  const browserWith = (options: PageOptions) => pool.take({ baseURL, locale: 'en-GB', reducedMotion: 'reduce', ...options })

  async function openPage(browser: PooledBrowser, { viewport, colorScheme }: PageOptions): Promise<Page> {
    const page = await browser.openWindow()
    watch(page, problems, expectedErrors)
    page.setDefaultTimeout(patience())
    await page.setViewportSize(viewport ?? { width: 1400, height: 900 })
    await page.emulateMedia({ media: null, colorScheme: colorScheme ?? 'light', reducedMotion: 'reduce' })
    return page
  }

  /** A page of a browser where nobody has signed in. */
  async function newPage({ viewport, colorScheme, ...options }: PageOptions = {}): Promise<Page> {
    return openPage(await browserWith(options), { viewport, colorScheme })
  }

  async function pageOf(name: Name, { viewport, colorScheme, ...options }: PageOptions = {}): Promise<Page> {
    const key = JSON.stringify([name, options])
    const browser = signedIn.get(key) ?? browserWith(options).then((browser) => enter(browser, name))
    signedIn.set(key, browser)
    const { context } = await browser
    context.once('close', () => signedIn.delete(key))
    return openPage(await browser, { viewport, colorScheme })
  }

  async function enter(browser: PooledBrowser, name: Name): Promise<PooledBrowser> {
    const client = cabinet.newBrowser()
    await client.post('/login', { email: emailOf(name), password })
    const place = { domain: '127.0.0.1', path: `${cabinet.app.config.baseUrl}/`, httpOnly: true, sameSite: 'Lax' as const }
    await browser.context.addCookies([...client.cookies].map(([name, value]) => ({ name, value: encodeURIComponent(value), ...place })))
    return browser
  }

  async function endTest(): Promise<void> {
    signedIn.clear()
    await pool.takeBack(ends)
    cabinet.forgetBrowsers()
    problems.length = 0
    expectedErrors.length = 0
  }

  return { ...cabinet, origin, complaints: problems, provoked: expectedErrors, newPage, pageOf, endTest }
}

/** Until htmx has gone through a page, its links lead to whole pages, which is right for people but not what tests are after. */
function waitForHtmx(page: Page): void {
  const [open, reload] = [page.goto.bind(page), page.reload.bind(page)]
  const ready = () => page.evaluate<boolean>(`!document.querySelector('[hx-get]') || !!document.querySelector('[data-htmx-powered]')`)
  page.goto = async (...where) => {
    const response = await open(...where)
    await waitUntil(ready)
    return response
  }
  page.reload = async (...how) => {
    const response = await reload(...how)
    await waitUntil(ready)
    return response
  }
}

async function prepareContext(context: BrowserContext): Promise<void> {
  await context.addInitScript(reportViolations)
  await context.addInitScript(startAtOnce)
}

/** Beside that of playwright. */
const sessions = new WeakMap<Page, CDPSession>()

async function prepareWindow(page: Page, session: CDPSession, { javaScriptEnabled }: PageOptions): Promise<void> {
  sessions.set(page, session)
  if (javaScriptEnabled !== false) waitForHtmx(page)
  if (!process.env.SHOTS) drawLittle(page, session)
  if (slowness > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
}

/**
 * A page has the size of its window for whatever is laid out, asked or clicked in it, but only a corner is drawn: to draw takes half the time that a
 * page takes. What the wheel turns must be drawn.
 */
function drawLittle(page: Page, session: CDPSession): void {
  const [resize, turn] = [page.setViewportSize.bind(page), page.mouse.wheel.bind(page.mouse)]
  page.setViewportSize = async (size) => {
    await resize(size)
    await session.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: false, dontSetVisibleSize: true })
    await session.send('Emulation.setVisibleSize', { width: 8, height: 8 })
  }
  page.mouse.wheel = async (right, down) => {
    await session.send('Emulation.setVisibleSize', page.viewportSize() as { width: number; height: number })
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    await turn(right, down)
  }
}

/** Whether this comes to an end: Chromium may never answer for a page that is just being sent elsewhere, and such a page ends with the browser. */
async function ends(work: Promise<unknown>): Promise<boolean> {
  const done = work.then(
    () => true,
    () => false,
  )
  return Promise.race([done, pause(patience(), false, { ref: false })])
}

async function delayAnswer(): Promise<void> {
  await pause(Math.random() * 300)
}

export type OpenCabinet = Awaited<ReturnType<typeof openCabinet>>

export async function signIn(page: Page, name: Name): Promise<void> {
  await page.locator('input[name=email]').fill(emailOf(name))
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
}

/** Retries, because htmx swaps content a moment later, and a page that is navigating throws. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + patience(); Date.now() < end; await pause(40)) if (await condition().catch(() => false)) return true
  return condition()
}

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const wcag = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
const colorRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** One line per element with an axe violation. Now and then axe never answers. */
export function violations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  return within(4 * patience(), findViolations(page, rules), () => `axe did not end on ${page.url()}`)
}

async function findViolations(page: Page, rules: 'all' | 'colours'): Promise<string[]> {
  // The engine keeps what it has compiled of a script that comes like this.
  if (!(await page.evaluate('Boolean(window.axe)'))) await sessions.get(page)?.send('Runtime.evaluate', { expression: axeSource })
  const options = JSON.stringify({ runOnly: rules === 'all' ? wcag : colorRules, resultTypes: ['violations'], preload: false })
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ' at ' + node.target.join(' ') + ': ' + node.failureSummary)))`)
}

/** In pixels. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Scripts would wait until the page is drawn, which tests do not. */
const startAtOnce = `Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`

const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`

function watch(page: Page, complaints: string[], provoked: RegExp[]): void {
  const complain = (text: string) => {
    if (!provoked.some((pattern) => pattern.test(text))) complaints.push(`${text} (on ${page.url()})`)
  }
  page.on('pageerror', (error) => complain(`page error: ${error.message}`))
  page.on('console', (message) => {
    // Failed requests are reported below, with status and address; workers are blocked where a test does not ask for them.
    const isKnown = /^(Failed to load resource|Service Worker registration blocked)/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isKnown) complain(message.text())
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complain(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // Aborted by a newer search, a navigation or a download.
    if (reason !== 'net::ERR_ABORTED') complain(`${reason} ${request.url()}`)
  })
}

/** Saves the form of a card and waits for the next page: the message of an earlier save may still be on this one. */
export async function saveCard(page: Page): Promise<void> {
  const next = page.waitForEvent('domcontentloaded')
  await page.getByRole('button', { name: 'Save' }).click()
  await next
  const saved = page.getByRole('status').filter({ hasText: /\bsaved\b/i })
  await saved.waitFor()
}
