import { loadSample } from '../../src/database/sample/load.ts'
import { hashPassword } from '../../src/web/access/password-hashing.ts'
import { openCabinet, type Page, signIn, type Test, waitUntil } from './browser.ts'
import { type Name, password } from './cast.ts'
import { atEndOfRun } from './end-of-run.ts'

// Forms bring searchable choices and masks.
const fonts = 68_000
const [firstVisit, firstForm, laterVisit, allFiles] = [61_000 + fonts, 90_000 + fonts, 17_000, 150_000 + fonts]
const narrow = { width: 375, height: 750 }

// The sample, whose pages are as heavy as on a working day, has its people under these names.
export const [admin, dealer] = ['admin', 'dealer'] as Name[] as [Name, Name]

interface Loaded {
  address: string
  bytes: number
  kept: boolean
  complete: boolean
  headers: Record<string, string>
}

/** Hears what travels to a page, compressed as it is, headers included. */
export async function listen(page: Page) {
  const heard = new Map<string, Loaded>()
  const session = await page.context().newCDPSession(page)
  const note = (id: string, more: Partial<Loaded>) => Object.assign(heard.get(id) ?? {}, more)
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { protocol, pathname: address } = new URL(request.url)
    // A question whether the service answers loads no file.
    if (protocol === 'http:' && request.method !== 'HEAD')
      heard.set(requestId, { address, bytes: 0, kept: false, complete: false, headers: {} })
  })
  session.on('Network.requestServedFromCache', ({ requestId }) => note(requestId, { kept: true }))
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const { encodedDataLength: bytes, headers, mimeType, fromDiskCache, fromPrefetchCache } = response
    note(requestId, { bytes, headers })
    if (fromDiskCache || fromPrefetchCache) note(requestId, { kept: true })
    // The bell goes on listening.
    if (mimeType === 'text/event-stream') note(requestId, { complete: true })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => note(requestId, { bytes, complete: true }))
  session.on('Network.loadingFailed', ({ requestId }) => note(requestId, { complete: true }))
  const silent = () => waitUntil(async () => [...heard.values()].every(({ complete }) => complete))
  /** What came over the wire because of it. */
  return async (act: () => Promise<unknown>) => {
    heard.clear()
    await act()
    await silent()
    const came = [...heard.values()].filter(({ kept }) => !kept)
    return { came, bytes: came.reduce((sum, { bytes }) => sum + bytes, 0) }
  }
}

/**
 * What has moved, unless nobody would see it: a busy machine paints a long page in pieces, and its columns settle by some pixels.
 * A tenth of what counts as good for people (0.1 of the window, moved by its whole size, in sum).
 */
const shifts = `new Promise((resolve) => {
  const seen = []
  new PerformanceObserver((list) => seen.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() => resolve(seen.reduce((sum, { value }) => sum + value, 0) < 0.01 ? [] :
    seen.flatMap(({ value, sources }) => [value, ...sources.map(({ node }) => node?.id || node?.className || node?.nodeName)].join(' ')))))
})`

const isAsset = ({ address }: Loaded) => address.startsWith('/assets/')

/** Its address has its content in it, so browsers keep it; what is compressed on the way has no length. */
function isLasting({ address, headers }: Loaded): boolean {
  const { 'cache-control': kept, 'content-encoding': encoding, 'content-length': length } = headers
  return (
    /^\/assets\/[\w-]{10}\/[\w.-]+$/.test(address) &&
    kept === 'public, max-age=31536000, immutable' &&
    encoding === 'br' &&
    length !== undefined
  )
}

export const cabinet = await openCabinet({ teardown: atEndOfRun }, { empty: true })
loadSample(cabinet.db, await hashPassword(password))

/** What comes to somebody who has never been here. */
export async function checkFirst(t: Pick<Test, 'ok' | 'same'>, page: Page, address: string): Promise<void> {
  const limit = /\/(?:edit|add)\b/.test(address) ? firstForm : firstVisit
  const { came, bytes } = await (await listen(page))(() => page.goto(address))
  t.ok(bytes > 40_000 && bytes <= limit, `${address} at first: ${bytes} bytes`)
  t.same(await page.evaluate(shifts), [], `${address} at first and wide: nothing moves`)
  t.same(
    came.filter((file) => isAsset(file) && !isLasting(file)).map(({ address }) => address),
    [],
    `${address}: files are kept for ever, and came compressed ahead`,
  )
  await page.context().close()
}

/** Signs in and opens one page after the other. */
export async function checkLater(t: Pick<Test, 'ok' | 'same'>, name: Name, addresses: readonly string[]): Promise<void> {
  const page = await cabinet.newPage({ viewport: narrow })
  const measure = await listen(page)
  const known = new Set<string>()
  let fileBytes = 0
  const check = async (what: string, act: () => Promise<unknown>, limit: number) => {
    const { came } = await measure(act)
    const files = came.filter(isAsset).map(({ address }) => address)
    // Files come once, with the first page that needs them.
    const bytes = came.reduce((sum, file) => (isAsset(file) ? sum : sum + file.bytes), 0)
    fileBytes += came.reduce((sum, file) => (isAsset(file) ? sum + file.bytes : sum), 0)
    t.ok(bytes <= limit, `${what}: ${bytes} bytes`)
    t.same(
      files.filter((file) => known.has(file)),
      [],
      `${what}: no file comes again`,
    )
    t.same(await page.evaluate(shifts), [], `${what}, narrow: nothing moves`)
    for (const file of files) known.add(file)
  }
  await check('/login', () => page.goto('/login'), firstVisit)
  await check('what follows it', () => signIn(page, name), laterVisit)
  for (const address of addresses) await check(address, () => page.goto(address), laterVisit)
  t.ok(fileBytes <= allFiles, `all files: ${fileBytes} bytes`)
}
