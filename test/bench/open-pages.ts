import { rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from './client.ts'
import { dataFolder, person } from './databases.ts'
import { startServer } from './server.ts'

const pages = 2000
const perSession = 20

/** `npm run bench -- --pages`: what 2,000 open pages cost, each of which listens for notifications. */
export async function measureOpenPages(size: number): Promise<void> {
  const folder = await dataFolder(size)
  const service = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
  const streams: IncomingMessage[] = []
  try {
    for (let session = 0; session < pages / perSession; session++) {
      const client = new Client(service.origin)
      await client.signIn({ ...person, email: `manager${session + 1}@example.com` })
      for (let page = 0; page < perSession; page++) streams.push(await listen(service.origin, client.cookie))
    }
    await pause(2000)
    await service.usage('forget the peaks')
    const before = await service.usage()
    await pause(20_000)
    const { cpu, peak, blocked } = await service.usage()
    console.log(
      `${streams.filter(({ destroyed }) => !destroyed).length} open pages: ${Math.round(peak / 1024 ** 2)} MB, ${((cpu - before.cpu) / 200).toFixed(1)} % of a processor, longest turn ${blocked.cpu.toFixed(0)} ms CPU`,
    )
  } finally {
    for (const stream of streams) stream.destroy()
    await service.stop()
    rmSync(folder, { recursive: true })
  }
}

function listen(origin: string, cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = get(`${origin}/notifications/stream`, { agent: false, headers: { cookie, accept: 'text/event-stream' } }, (answer) => {
      answer.resume().on('error', () => {})
      if (answer.statusCode === 200) resolve(answer)
      else reject(new Error(`${answer.statusCode} for a stream of notifications`))
    })
    request.on('error', reject)
  })
}
