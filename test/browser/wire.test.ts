import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Page as BrowserPage } from 'playwright-core'
import t from 'tap'
import { news, orders, users } from '../../src/database/schema/index.ts'
import type { OpenCabinet } from '../support/browser.ts'

t.setTimeout(180_000)

// Files as the build leaves them: they must lie there before the program looks for them.
const compress = fileURLToPath(new URL('../../src/commands/compress.mjs', import.meta.url))
const prepared = spawnSync(process.execPath, ['--import', 'tsx', compress, '../web/view/assets.ts'], { encoding: 'utf8' })
t.equal(prepared.status, 0, `the assets are compressed ${prepared.stderr}`)
const { browserTest } = await import('../support/browser.ts')

const [firstVisit, laterVisit] = [200_000, 15_000]

/** Fills the lists, so that every page is as heavy as on a working day. */
function fillLists({ db, cast }: OpenCabinet): void {
  db.transaction(() => {
    for (let number = 1; number <= 60; number++) {
      const person = { group_id: 2, email: `wire${number}@example.com`, password: '-', name: 'Wire', lastname: `Person ${number}` } as const
      const at = Date.now() - number * 60_000
      db.insert(users)
        .values({ ...person, company_id: cast.companies.alpha, search: `person ${number} wire`, created_at: at })
        .run()
      db.insert(orders).values({ status_id: 1, dealer_id: cast.denis, receiver: person.lastname, search: '', created_at: at }).run()
      db.insert(news)
        .values({ name: `News ${number}`, description: '<p>What is new.</p>', published: true, publishedon: at })
        .run()
    }
  })
}

/** Ordinary pages; the editor of news brings an editor of its own, half a megabyte of it. */
const pagesOf = ({ cast }: OpenCabinet) => [
  '/',
  '/dealers',
  '/dealers?size=50',
  `/dealers/edit/${cast.denis}`,
  '/dealers/add',
  '/companies',
  `/company/edit/${cast.companies.alpha}`,
  '/managers',
  `/admins/edit/${cast.clerk}`,
  `/admins/edit/${cast.clerk}?tab=rights`,
  '/orders',
  `/orders/edit/${cast.order}`,
  '/orders/add',
  '/statuses',
  '/status/edit/2?tab=transitions',
  '/news',
  '/notifications',
  '/activity',
  '/profile',
]

/** Counts what travels to a page, compressed as it is, and what was asked for. */
async function listen(page: BrowserPage) {
  const heard = { bytes: 0, asked: [] as string[] }
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    heard.bytes += encodedDataLength
  })
  const kept = new Set<string>()
  session.on('Network.requestServedFromCache', ({ requestId }) => kept.add(requestId))
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { pathname } = new URL(response.url)
    // The stream stays open, and the icon of the tab is the browser's own business.
    const aside = pathname.endsWith('/notifications/stream') || pathname.endsWith('/favicon.svg')
    if (!kept.has(requestId) && !aside) heard.asked.push(pathname)
  })
  return async (visit: () => Promise<unknown>) => {
    Object.assign(heard, { bytes: 0, asked: [] })
    await visit()
    return { ...heard, asked: [...heard.asked] }
  }
}

const shiftsSummed = `window.shifted = 0
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value })
    .observe({ type: 'layout-shift', buffered: true })`

browserTest('a page weighs little, and nothing in it moves', async (t, cabinet) => {
  fillLists(cabinet)
  for (const [width, height] of [
    [1400, 900],
    [375, 800],
  ] as const) {
    const used = await cabinet.pageOf('root', { viewport: { width, height } })
    const measureUsed = await listen(used)
    const openUsed = (path: string) => measureUsed(() => used.goto(path, { waitUntil: 'load' }))
    await used.addInitScript(shiftsSummed)
    // Whoever has worked here for a while has every script and style.
    for (const path of pagesOf(cabinet)) await openUsed(path)
    for (const path of pagesOf(cabinet)) {
      const { bytes, asked } = await openUsed(path)
      t.ok(bytes <= laterVisit, `${path} again: ${bytes} bytes`)
      const again = asked.filter((one) => one.startsWith('/assets/'))
      t.same(again, [], `${path}: no file comes twice`)
      t.equal(await used.evaluate('window.shifted'), 0, `${path} at ${width} pixels: nothing moves`)
    }
  }
})

browserTest('the first visit costs no more than a picture', async (t, cabinet) => {
  fillLists(cabinet)
  const stranger = await cabinet.newPage()
  const signIn = await (await listen(stranger))(() => stranger.goto('/login', { waitUntil: 'load' }))
  t.ok(signIn.bytes <= firstVisit, `/login: ${signIn.bytes} bytes`)
  for (const path of pagesOf(cabinet)) {
    const fresh = await cabinet.pageOf('root')
    const { bytes } = await (await listen(fresh))(() => fresh.goto(path, { waitUntil: 'load' }))
    t.ok(bytes > 10_000 && bytes <= firstVisit, `${path}: ${bytes} bytes`)
    await fresh.context().close()
  }
})

browserTest('a click in a table takes one answer', async (t, cabinet) => {
  fillLists(cabinet)
  const page = await cabinet.pageOf('root')
  const measure = await listen(page)
  await page.goto('/dealers')
  const region = page.locator('#dealers-table')
  const click = async (name: string, act: () => Promise<unknown>, shown: string) => {
    const { asked } = await measure(async () => {
      await act()
      await region.locator(shown).first().waitFor()
      await page.waitForTimeout(300)
    })
    t.same(asked, ['/dealers'], name)
  }
  await click('sorting', () => region.getByRole('link', { name: 'Company' }).first().click(), 'th[aria-sort=ascending]')
  await click('the next page', () => region.getByRole('link', { name: 'Next page' }).click(), 'a[aria-current=page]:text("2")')
  await click('a search', () => page.locator('#dealers-q').fill('person 17'), '.chip')
})
