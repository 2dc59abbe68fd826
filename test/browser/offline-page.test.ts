import { connect, createServer, type Socket } from 'node:net'
import { browserTest, type Page, type Test, violations, waitUntil } from '../support/browser.ts'

const failures =
  /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|htmx:sse|htmx:error|Failed to fetch|NetworkError|ERR_INCOMPLETE_CHUNKED_ENCODING/

/** What connects to a service, and can be down while the service is not. */
async function connectionTo(origin: string) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const other = connect(Number(new URL(origin).port), '127.0.0.1')
    for (const one of [socket, other]) sockets.add(one.on('error', () => one.destroy()))
    socket.pipe(other).pipe(socket)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as { port: number }
  const breakDown = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  }
  return { address: `http://127.0.0.1:${port}`, breakDown, recover: () => listen(port) }
}

async function workerIsActive(t: Test, page: Page) {
  const state = () => page.evaluate('navigator.serviceWorker.ready.then(({ active }) => active.state)')
  t.ok(await waitUntil(async () => (await state()) === 'activated'))
}

browserTest(
  'a page that cannot be reached is told of by the cabinet, with a link to it; no page of anybody is kept',
  async (t, cabinet) => {
    cabinet.provoked.push(failures)
    const { address, breakDown, recover } = await connectionTo(cabinet.origin)
    const page = await cabinet.pageOf('root', { serviceWorkers: 'allow' })
    await page.goto(`${address}/dealers`)
    await workerIsActive(t, page)
    await page.goto(`${address}/companies`)
    await breakDown()
    const asked = `${address}/dealers/edit/${cabinet.cast.denis}`
    await page.goto(asked)
    t.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'No connection')
    t.equal(page.url(), asked)
    t.same(await violations(page), [], 'is accessible')
    const kept = await page.evaluate<string[]>(
      `caches.keys().then((names) => Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url))))
      .then((urls) => urls.flat())`,
    )
    t.same(kept, [`${address}/offline`])
    t.notMatch(await page.content(), /Root|Olga|Denis/, 'nor is anybody named')
    await page.getByRole('link', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'No connection' }).waitFor()
    await recover()
    await page.getByRole('link', { name: 'Try again' }).click()
    await page
      .getByRole('heading', { name: /Denisov/ })
      .first()
      .waitFor()
    t.equal(page.url(), asked)
    await breakDown()
  },
)

browserTest(
  'a page that could not be reached opens by itself: once the service is back, and once the browser is online',
  async (t, cabinet) => {
    cabinet.provoked.push(failures)
    const { address, breakDown, recover } = await connectionTo(cabinet.origin)
    const page = await cabinet.pageOf('root', { serviceWorkers: 'allow' })
    await page.goto(`${address}/dealers`)
    await workerIsActive(t, page)
    await page.goto(`${address}/companies`)
    const away = page.getByRole('heading', { name: 'No connection' })
    const dealers = page.getByRole('heading', { name: 'Dealers', level: 1 })

    await breakDown()
    await page.goto(`${address}/dealers`)
    await away.waitFor()
    await page.context().setOffline(true)
    t.equal(await page.evaluate('navigator.onLine'), false)
    t.equal(await page.getByText('What you type stays here').isVisible(), false, 'it is said once')
    await page.context().setOffline(false)
    await recover()
    await dealers.waitFor()

    await breakDown()
    await page.clock.install()
    await page.goto(`${address}/dealers?page=2`)
    await away.waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    await recover()
    await page.evaluate("dispatchEvent(new Event('online'))")
    await dealers.waitFor()
    await breakDown()
  },
)

browserTest('the page that stands in for others stays as it is where it was asked for', async (t, { newPage }) => {
  const page = await newPage()
  await page.clock.install()
  await page.goto('/offline')
  await page.evaluate("document.body.dataset.same = 'yes'")
  await page.waitForFunction("document.querySelector('script[type=module]')")
  await page.clock.fastForward(60_000)
  await page.waitForTimeout(300)
  t.equal(await page.evaluate('document.body.dataset.same'), 'yes')
})
