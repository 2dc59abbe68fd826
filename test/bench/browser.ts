import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { Client } from './client.ts'
import { dataFolder, person } from './databases.ts'
import { startDjango } from './django/start.ts'
import { startServer } from './server.ts'

/** A modest phone or notebook on a 4G line. */
const slowness = 4
const line = { offline: false, latency: 85, downloadThroughput: (9 * 1000 * 1000) / 8, uploadThroughput: (9 * 1000 * 1000) / 8 }
const rounds = 5

interface Visit {
  paint: number
  kilobytes: number
  shift: number
}

type Visits = Record<'first' | 'next', Visit>

interface Place {
  address: string
  home: string
  cookie?: string
}

/** `npm run bench -- --browser`: what users feel, beside a bare page of the same text and, where it is installed, Django's admin on the same line. */
export async function measureInBrowser(size: number): Promise<string> {
  const folder = await dataFolder(size)
  const service = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
  const django = await startDjango(folder)
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const client = new Client(service.origin)
    await client.signIn(person)
    const newest = /dealers\/edit\/(\d+)/.exec(await client.text('/dealers'))?.[1]
    const order = /orders-(\d+)"/.exec(await client.text('/orders'))?.[1]
    const rows: string[][] = []
    for (const [name, path, page] of [
      ['list of dealers', '/dealers', 'list'],
      ['card of a dealer', `/dealers/edit/${newest}`, 'form'],
      ['page of an order', `/orders/${order}`, 'form'],
    ] as const) {
      const bare = await startBarePage(await client.text(path))
      const places: Place[] = [
        { address: service.origin + path, home: service.origin, cookie: client.cookie },
        { address: bare.origin, home: bare.origin },
      ]
      if (django) places.push({ address: django[page], home: django.home, cookie: django.cookie })
      const [ours, plain, admin] = (await measureVisits(browser, places)) as [Visits, Visits, Visits?]
      bare.stop()
      rows.push([
        name,
        ...(['first', 'next'] as const).flatMap((visit) => [
          `${ours[visit].paint.toFixed(0)} ms`,
          admin ? `${admin[visit].paint.toFixed(0)} ms` : '—',
          `${plain[visit].paint.toFixed(0)} ms`,
          `${ours[visit].kilobytes.toFixed(0)} KB`,
        ]),
        ours.next.shift.toFixed(3),
      ])
    }
    const { toggle, search } = await measureInteractions(browser, service.origin, client.cookie)
    const headsOf = (visit: string) => [`${visit} visit: largest paint`, "Django's admin", 'bare page', 'KB']
    const heads = ['page', ...headsOf('first'), ...headsOf('next'), 'layout shift']
    const table = [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
    return `${table}\n\nA switch is painted ${toggle.toFixed(0)} ms after the click, the first row of a search ${search.toFixed(0)} ms after its last letter.`
  } finally {
    await browser.close()
    await service.stop()
    django?.stop()
    rmSync(folder, { recursive: true })
  }
}

/** The text of a page in the plainest HTML there is. */
async function startBarePage(page: string) {
  const text = page
    .slice(page.indexOf('<body'))
    .replace(/<(script|style|svg|template)[\s\S]*?<\/\1>/g, '')
    .replace(/<(\/?)(table|thead|tbody|tr|td|th|p|h1|h2|ul|li)\b[^>]*>/g, '{$1$2}')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\{(\/?\w+)\}/g, '<$1>')
    .replace(/\s+/g, ' ')
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Bare</title><body>${text}`
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop: () => server.close().closeAllConnections() }
}

/** First visits with an empty cache, the next from the home page of the same site. The median of several, of all places in turn. */
async function measureVisits(browser: Browser, places: Place[]): Promise<Visits[]> {
  const all = places.map((place) => ({ place, first: [] as Visit[], next: [] as Visit[] }))
  for (let round = 0; round < rounds; round++)
    for (const { place, ...visits } of all) {
      const { page, session, close } = await openPage(browser, place)
      for (const visit of ['first', 'next'] as const) {
        visits[visit].push(await visitPage(page, session, place.address))
        await page.goto(place.home, { waitUntil: 'load' })
        await page.waitForTimeout(300)
      }
      await close()
    }
  return all.map(({ first, next }) => ({ first: middle(first), next: middle(next) }))
}

async function openPage(browser: Browser, { address, cookie = '' }: Omit<Place, 'home'>) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en' })
  const [name = '', value = ''] = cookie.split(/=(.*)/s)
  if (cookie) await context.addCookies([{ name, value, url: new URL(address).origin }])
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', line)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  await page.addInitScript({ path: fileURLToPath(new URL('./in-page.js', import.meta.url)) })
  return { page, session, close: () => context.close() }
}

async function visitPage(page: Page, session: CDPSession, address: string): Promise<Visit> {
  let bytes = 0
  const count = ({ encodedDataLength }: { encodedDataLength: number }) => {
    bytes += encodedDataLength
  }
  session.on('Network.loadingFinished', count)
  await page.goto(address, { waitUntil: 'load' })
  await page.waitForTimeout(700)
  session.off('Network.loadingFinished', count)
  const { paint, shift } = await page.evaluate<{ paint: number; shift: number }>('measured')
  return { paint, shift, kilobytes: bytes / 1000 }
}

function middle(visits: Visit[]): Visit {
  const sorted = (key: keyof Visit) => visits.map((visit) => visit[key]).sort((a, b) => a - b)[Math.floor(visits.length / 2)] as number
  return { paint: sorted('paint'), kilobytes: sorted('kilobytes'), shift: sorted('shift') }
}

async function measureInteractions(browser: Browser, origin: string, cookie: string): Promise<{ toggle: number; search: number }> {
  const { page, close } = await openPage(browser, { address: origin, cookie })
  const scriptsRun = page.waitForRequest(/\/notifications\/stream$/)
  await page.goto(`${origin}/dealers`)
  await scriptsRun
  const [toggles, searches]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    toggles.push(await page.evaluate<number>('measureToggle()'))
    await page.waitForTimeout(800)
  }
  for (const word of ['anna', 'carter', 'olga', 'иван', 'xyz']) {
    searches.push(await page.evaluate<number>(`measureSearch('${word}')`))
    await page.waitForTimeout(1500)
  }
  await close()
  return { toggle: median(toggles), search: median(searches) }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number
