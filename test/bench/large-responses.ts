import { setTimeout as pause } from 'node:timers/promises'
import type { BenchRequest } from './load.ts'
import { measure, summarize } from './load.ts'
import type { Result } from './report.ts'
import { type Server, startServer } from './server.ts'

const mebibyte = 1024 ** 2

type Get = (path: string) => Promise<Buffer>

/** One big answer, while others ask for a list all the time. */
async function measureUnderLoad(
  size: number,
  name: string,
  server: Server,
  cookie: string,
  download: (get: Get) => Promise<Buffer>,
  right: (body: Buffer) => boolean,
): Promise<Result> {
  await server.usage('forget the peaks')
  const others = { running: true }
  const list = (): BenchRequest => ({ path: '/dealers' })
  const waiting = (async () => {
    const rounds = []
    while (others.running) rounds.push(await measure(server, list, cookie, 1))
    return rounds
  })()
  const began = performance.now()
  const body = await download(async (path) => {
    const answer = await fetch(server.origin + path, { headers: { cookie, 'accept-encoding': 'identity' } })
    if (!answer.ok) throw new Error(`${answer.status} for ${path}`)
    return Buffer.from(await answer.arrayBuffer())
  })
  const seconds = (performance.now() - began) / 1000
  others.running = false
  if (!right(body)) throw new Error(`${name} is not right`)
  const { p99 } = summarize(await waiting)
  const { peak } = await server.usage()
  const once = { median: seconds * 1000, p99: seconds * 1000, perSecond: 1 / seconds, cpu: Number.NaN }
  const note = `${seconds.toFixed(1)} s, at most ${Math.round(peak / mebibyte)} MB, others’ p99 ${p99.toFixed(0)} ms`
  console.log(size, name, note)
  return { size, name, bytes: body.length, service: once, note }
}

export function measureExport(size: number, server: Server, cookie: string): Promise<Result> {
  return measureUnderLoad(size, 'export', server, cookie, downloadExport, isSpreadsheet)
}

/** What takes longer than a few seconds is left in the inbox. */
async function downloadExport(get: Get): Promise<Buffer> {
  const body = await get('/dealers/export')
  if (isSpreadsheet(body)) return body
  for (;;) {
    const link = /\/notifications\/\d+\/file/.exec((await get('/notifications')).toString())
    if (link) return get(link[0])
    await pause(100)
  }
}

const isSpreadsheet = (body: Buffer) => body.subarray(0, 2).toString() === 'PK'

export function measureLongList(size: number, server: Server, cookie: string): Promise<Result> {
  const rows = (body: Buffer) => body.toString('latin1').split('<tr id="dealers-').length - 1
  return measureUnderLoad(
    size,
    'size=all',
    server,
    cookie,
    (get) => get('/dealers?size=all'),
    (body) => rows(body) === size,
  )
}

/** From the command to the first answer. */
export async function measureStart(size: number, folder: string): Promise<Result> {
  const times = []
  for (let round = 0; round < 3; round++) {
    const server = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
    await (await fetch(`${server.origin}/login`)).text()
    times.push({ wall: server.startedIn(), cpu: (await server.usage()).cpu })
    await server.stop()
  }
  const [, middle] = times.sort((a, b) => a.wall - b.wall) as [unknown, (typeof times)[number]]
  console.log(size, 'start', `${middle.wall.toFixed(0)} ms`)
  return {
    size,
    name: 'start to first answer',
    bytes: 0,
    service: { median: middle.wall, p99: times[2]?.wall as number, perSecond: 0, cpu: middle.cpu },
  }
}
