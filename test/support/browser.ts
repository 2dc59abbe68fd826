import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { type BrowserContext, type BrowserContextOptions, chromium, type Locator, type Page, type Response } from 'playwright-core'
import t from 'tap'
import { startCabinet } from './cabinet.ts'
import { emailOf, type Name, password } from './cast.ts'

export type { Locator, Page, Response }
export type Test = typeof t
export type PageOptions = Pick<BrowserContextOptions, 'javaScriptEnabled' | 'locale' | 'viewport' | 'colorScheme'>

// A busy machine is slow, not wrong.
const timeout = 30_000

const chrome = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
t.teardown(() => chrome.close())

/** A test of the real application in a real browser; at its end no page may have complained. */
export function browserTest(name: string, body: (t: Test, cabinet: OpenCabinet) => Promise<void>, parent: Test = t) {
  return parent.test(name, async (test) => {
    const cabinet = await openCabinet(test as Test)
    await body(test as Test, cabinet)
    test.same(cabinet.complaints, [], 'no console error, no policy violation, no failed request')
  })
}

/** The real application, listening, and pages that watch for what goes wrong in them. */
export async function openCabinet(test: Test, options: Parameters<typeof startCabinet>[1] = {}) {
  const cabinet = await startCabinet(test, options)
  const origin = await cabinet.app.listen({ host: '127.0.0.1', port: 0 })
  const baseURL = origin + cabinet.app.config.baseUrl
  const problems: string[] = []
  /** Answers that a test provokes, such as `422 /dealers/edit/1`. */
  const expectedErrors: RegExp[] = []
  const contexts: BrowserContext[] = []
  test.teardown(async () => {
    for (const context of contexts) await context.close()
  })

  /** A page in a browser of its own, nobody signed in. */
  async function newPage(options: PageOptions = {}, storageState?: State): Promise<Page> {
    const viewport = { width: 1400, height: 900 }
    const context = await chrome.newContext({ baseURL, viewport, locale: 'en-GB', reducedMotion: 'reduce', ...options, storageState })
    contexts.push(context)
    context.setDefaultTimeout(timeout)
    await context.addInitScript(reportViolations)
    const page = await context.newPage()
    watch(page, problems, expectedErrors)
    return page
  }

  const states = new Map<Name, Promise<State>>()
  /** A page in a browser of its own in which this person is signed in. */
  async function pageOf(name: Name, options: PageOptions = {}): Promise<Page> {
    const state = states.get(name) ?? signedIn(name)
    states.set(name, state)
    return newPage(options, await state)
  }

  async function signedIn(name: Name): Promise<State> {
    const page = await newPage()
    await page.goto('/login')
    await signIn(page, name)
    return page.context().storageState()
  }

  return { ...cabinet, origin, complaints: problems, provoked: expectedErrors, newPage, pageOf }
}

export type OpenCabinet = Awaited<ReturnType<typeof openCabinet>>
type State = Awaited<ReturnType<BrowserContext['storageState']>>

/** Fills in the sign-in page that is open, and waits for what follows. */
export async function signIn(page: Page, name: Name): Promise<void> {
  await page.locator('input[name=email]').fill(emailOf(name))
  await page.locator('input[name=password]').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/login'))
}

/** Looks again until it holds: what htmx brings arrives a moment later, and a page that gives way to another cannot be asked. */
export async function waitUntil(condition: () => Promise<boolean>): Promise<boolean> {
  for (const end = Date.now() + timeout; Date.now() < end; await pause(40)) if (await condition().catch(() => false)) return true
  return condition()
}

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const wcag = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }
const colorRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** What axe finds on the page as it is shown now, one line for each element. */
export async function violations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('Boolean(window.axe)'))) await page.evaluate(axeSource)
  const options = JSON.stringify({ runOnly: rules === 'all' ? wcag : colorRules, resultTypes: ['violations'], preload: false })
  return page.evaluate<string[]>(`axe.run(document, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ' at ' + node.target.join(' ') + ': ' + node.failureSummary)))`)
}

/** By how many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

const reportViolations = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`

function watch(page: Page, complaints: string[], provoked: RegExp[]): void {
  const complain = (text: string) => {
    if (!provoked.some((pattern) => pattern.test(text))) complaints.push(`${text} (on ${page.url()})`)
  }
  page.on('pageerror', (error) => complain(`page error: ${error.message}`))
  page.on('console', (message) => {
    // Answers that failed are told below, with their status and address.
    if (['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource')) complain(message.text())
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complain(`${response.status()} ${new URL(response.url()).pathname}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    // A newer search, a navigation or a download takes over.
    if (reason !== 'net::ERR_ABORTED') complain(`${reason} ${request.url()}`)
  })
}
