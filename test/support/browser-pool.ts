import type { BrowserContext, BrowserContextOptions, CDPSession, Browser as Chrome, Page } from 'playwright-core'

/** What somebody browses with: cookies of their own, and windows. */
export interface PooledBrowser {
  context: BrowserContext
  /** Opens a window, one that an earlier test has left if there is one. */
  openWindow: () => Promise<Page>
}

interface Kept extends PooledBrowser {
  kind: string
  windows: Set<Page>
  left: Page[]
  /** A test has changed what cannot be put back. */
  isChanged: boolean
}

const events = ['dialog', 'download', 'console', 'pageerror', 'request', 'response', 'requestfailed'] as const

/**
 * Browsers pass from test to test, without cookies and with empty windows: a process for a new window, which has yet to read all styles and
 * scripts, costs more than what most tests do in it.
 */
export function createPool(
  chrome: Chrome,
  prepare: (context: BrowserContext) => Promise<void>,
  prepareWindow: (page: Page, session: CDPSession, options: BrowserContextOptions) => Promise<void>,
) {
  const idle: Kept[] = []
  const used = new Set<Kept>()

  async function take(options: BrowserContextOptions): Promise<PooledBrowser> {
    const kind = JSON.stringify(options)
    const at = idle.findIndex((one) => one.kind === kind)
    const browser = idle.splice(at, at < 0 ? 0 : 1)[0] ?? (await start(kind, options))
    used.add(browser)
    return browser
  }

  async function start(kind: string, options: BrowserContextOptions): Promise<Kept> {
    const context = await chrome.newContext({ serviceWorkers: 'block', ...options })
    await prepare(context)
    const openSession = context.newCDPSession.bind(context)
    const browser: Kept = { kind, context, openWindow, windows: new Set(), left: [], isChanged: false }
    const noteChange = () => void (browser.isChanged = true)
    beforeCall(context, 'newCDPSession', noteChange)
    context.once('close', () => used.delete(browser))
    return browser

    async function openWindow(): Promise<Page> {
      const left = browser.left.pop()
      if (left) return left
      const page = await context.newPage()
      browser.windows.add(page)
      await prepareWindow(page, await openSession(page), options)
      beforeCall(page, 'addInitScript', noteChange)
      beforeCall(page.clock, 'install', noteChange)
      return page
    }
  }

  /** Takes back all browsers of a test: `ends` tells whether what it is given comes to an end. */
  async function takeBack(ends: (work: Promise<unknown>) => Promise<boolean>): Promise<void> {
    const all = [...used]
    used.clear()
    for (const browser of all) {
      if (!browser.isChanged && (await ends(clear(browser)))) idle.push(browser)
      else await ends(browser.context.close())
    }
  }

  return { take, takeBack, all: () => [...idle, ...used].map(({ context }) => context) }
}

function beforeCall<Name extends string>(
  of: { [key in Name]: (...given: never[]) => Promise<unknown> },
  name: Name,
  listener: () => void,
): void {
  const call = of[name].bind(of)
  of[name] = (...given) => {
    listener()
    return call(...given)
  }
}

async function clear({ context, windows, left }: Kept): Promise<void> {
  const open = context.pages()
  await Promise.all(open.map((page) => (windows.has(page) ? leave(page) : page.close())))
  await context.setOffline(false)
  await context.clearPermissions()
  await context.clearCookies()
  left.splice(0, left.length, ...open.filter((page) => windows.has(page)))
}

async function leave(page: Page): Promise<void> {
  for (const event of events) page.removeAllListeners(event)
  page.on('dialog', (dialog) => dialog.accept())
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.goto('/healthz')
  page.removeAllListeners('dialog')
}
