// `npm run bench -- --responsiveness`: what each heavy operation does to everybody else. While one runs, four others ask for a list
// all the time; measured are the longest turn of the event loop, how long the others wait, and the most memory.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { largeBodies } from '../support/large-bodies.ts'
import { Client } from './client.ts'
import { dataFolder, managerOfSome, person } from './databases.ts'
import { readFacts } from './facts.ts'
import type { Facts } from './scenarios.ts'
import { type Server, startServer } from './server.ts'

export interface Responsiveness {
  size: number
  name: string
  seconds: number
  /** The longest turn of the event loop in milliseconds: processor time, and by the clock. */
  blocked: { cpu: number; wall: number }
  /** What the others waited for a list, in milliseconds. */
  others: { p99: number; longest: number; asked: number }
  peak: number
}

interface Operation {
  name: string
  run: () => Promise<unknown>
}

/** @param only a part of an operation's name: others are carried out, too, where they prepare what follows, but not measured */
export async function measureResponsiveness(size: number, only = ''): Promise<Responsiveness[]> {
  const folder = await dataFolder(size)
  const results: Responsiveness[] = []
  try {
    const facts = readFacts(folder, size)
    const service = await startServer('../../dist/main.js', { DATA_DIR: folder, DEMO: 'off' })
    const [root, manager, other] = [new Client(service.origin), new Client(service.origin), new Client(service.origin)]
    await root.signIn(person)
    await other.signIn(person)
    await manager.signIn(managerOfSome)
    for (let round = 0; round < 500; round++) await other.text('/dealers')
    for (const { name, run } of operations({ service, root, manager, facts, folder })) {
      if (!new RegExp(only).test(name)) continue
      const result = { size, name, ...(await measureAmongOthers(service, other, run)) }
      console.log(size, describe(result))
      results.push(result)
    }
    await service.stop()
  } finally {
    rmSync(folder, { recursive: true })
  }
  return results
}

const heads = ['operation', 'rows', 'takes', 'longest turn, CPU', 'by the clock', 'others: p99', 'longest', 'memory']

export function responsivenessTable(results: Responsiveness[]): string {
  const rows = results.map(({ size, name, seconds, blocked, others, peak }) => [
    name,
    size.toLocaleString('en'),
    `${seconds.toFixed(1)} s`,
    ...[blocked.cpu, blocked.wall, others.p99, others.longest].map((value) => `${value.toFixed(0)} ms`),
    `${Math.round(peak / 1024 ** 2)} MB`,
  ])
  return [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function describe({ name, seconds, blocked, others, peak }: Responsiveness): string {
  const waited = `others p99 ${others.p99.toFixed(0)} ms, at most ${others.longest.toFixed(0)} ms (${others.asked} lists)`
  return `${name}: ${seconds.toFixed(2)} s, longest turn ${blocked.cpu.toFixed(0)} ms CPU, ${blocked.wall.toFixed(0)} ms by the clock, ${waited}, ${Math.round(peak / 1024 ** 2)} MB`
}

const listeners = 4
const betweenLists = 10

async function measureAmongOthers(service: Server, client: Client, run: () => Promise<unknown>) {
  // What was done before is written out first.
  await pause(500)
  const times: number[] = []
  let running = true
  const ask = async () => {
    while (running) {
      const began = performance.now()
      await client.text('/dealers')
      times.push(performance.now() - began)
      await pause(betweenLists)
    }
  }
  const asking = Array.from({ length: listeners }, ask)
  await pause(100)
  await service.usage('forget the peaks')
  const began = performance.now()
  await run()
  const seconds = (performance.now() - began) / 1000
  // Short operations, too, are held against a number of lists.
  await pause(Math.max(0, 500 - 1000 * seconds))
  running = false
  await Promise.all(asking)
  const { blocked, peak } = await service.usage()
  times.sort((a, b) => a - b)
  const others = { p99: times[Math.floor(times.length * 0.99)] as number, longest: times.at(-1) as number, asked: times.length }
  return { seconds, blocked, others, peak }
}

/** The page that a job leads to, once it has ended; any other page as it is. */
async function endOfJob(client: Client, address: string): Promise<string> {
  for (;;) {
    const page = await client.text(address)
    if (!/data-state="(waiting|running)"/.test(page)) return page
    await pause(50)
  }
}

interface Setting {
  service: Server
  root: Client
  manager: Client
  facts: Facts
  folder: string
}

function operations({ service, root, manager, facts, folder }: Setting): Operation[] {
  const inactive = 'all=1&active=0'
  let seen: URLSearchParams
  let undo = ''
  let imported = ''
  return [
    { name: 'nothing', run: () => pause(1000) },
    {
      name: 'confirming the deletion of a tenth of the dealers',
      run: async () => {
        seen = hiddenFields(await root.text(`/dealers/delete?${inactive}`))
      },
    },
    {
      name: 'deleting a tenth of the dealers',
      run: async () => {
        const page = await endOfJob(root, await root.post('/dealers/delete', seen))
        undo = /\/bin\/\d+\/restore/.exec(page)?.[0] as string
      },
    },
    { name: 'recently deleted, with them in it', run: () => repeat(10, () => root.text('/bin')) },
    { name: 'the same for a manager with few rights', run: () => repeat(10, () => manager.text('/bin')) },
    { name: 'restoring them', run: async () => endOfJob(root, await root.post(undo, new URLSearchParams())) },
    { name: 'size=all', run: () => root.drain('/dealers?size=all') },
    { name: 'export of all dealers', run: () => root.drain('/dealers/export?format=xlsx') },
    {
      name: 'dry run of an import of 10,000 companies',
      run: async () => {
        const form = new FormData()
        form.set('file', new Blob([companySheet(10_000)]), 'companies.csv')
        imported = await root.post('/companies/import', form)
        await root.text(imported)
      },
    },
    { name: 'saving the import', run: async () => endOfJob(root, await root.post(`${imported}/save`, new URLSearchParams())) },
    { name: 'undoing the import', run: async () => endOfJob(root, await root.post(`${imported}/undo`, new URLSearchParams())) },
    ...['anna', 'иван', 'an', 'xyzxyz'].map((term) => ({
      name: `searching "${term}" as a manager with few rights`,
      run: () => repeat(10, () => manager.text(`/dealers?q=${encodeURIComponent(term)}`)),
    })),
    { name: 'searching everything', run: () => repeat(10, () => root.text('/find?q=anna')) },
    {
      name: 'the largest news text',
      run: () => root.post('/news/add', new URLSearchParams({ name: 'Large', description: largestText(), published: '1' })),
    },
    {
      name: 'the largest picture',
      run: () => {
        const form = new FormData()
        form.set('images[file]', new Blob([largestPicture], { type: 'image/jpeg' }), 'picture.jpg')
        return root.post('/news/images', form)
      },
    },
    { name: '50 sign-ins at once', run: () => signInAll(service, 50) },
    {
      name: 'moving 1,000 orders',
      run: async () => endOfJob(root, await root.post('/orders/transitions', transitionOf(facts, 1000))),
    },
    { name: 'a manager with a tenth of a per cent of everything gets another name', run: () => rename(root) },
    ...[
      { path: '/login', sender: new Client(service.origin), body: largeBodies('email') },
      { path: '/orders/add', sender: root, body: largeBodies('comment', 'items', orderParts) },
      { path: '/views', sender: manager, body: largeBodies('name') },
    ].flatMap(({ path, sender, body }) =>
      body.map(({ name, type, payload }) => ({ name: `large body to ${path}: ${name}`, run: () => sender.attempt(path, type, payload) })),
    ),
    { name: 'backup', run: () => command('backup', folder, join(folder, 'backups')) },
    { name: 'reindexing', run: () => command('reindex', folder) },
  ]
}

const orderParts = ['category_id', 'name', 'product_id', 'width', 'height', 'quantity', 'price', 'agreed', 'id']

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < times; round++) await work()
}

/** What the form of a confirmation sends. */
function hiddenFields(page: string): URLSearchParams {
  const fields = [...page.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)]
  return new URLSearchParams(fields.map(([, name = '', value = '']): [string, string] => [name, value]))
}

function companySheet(rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => `Imported ${row};${7_000_000_000 + row};imported${row}@example.com`)
  return ['org;inn;email', ...lines].join('\n')
}

const largestTags = 20_000
const largestBytes = 1024 * 1024

/** As many tags and letters as an article may have. */
function largestText(): string {
  const text = 'x'.repeat(Math.floor(largestBytes / (largestTags / 2)) - 60)
  return `<p style="color: #112233"><b>${text}</b></p>\n`.repeat(largestTags / 2 - 10)
}

const picture = { width: 6000, height: 4000, channels: 3 as const }
const largestPicture = await sharp(randomBytes(picture.width * picture.height * 3), { raw: picture })
  .jpeg({ quality: 40 })
  .toBuffer()

async function signInAll({ origin }: Server, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, index) => ({ ...person, email: `manager${index + 2}@example.com` }))
  // Those for whom the queue of password hashes is too long are told to try again.
  await Promise.allSettled(people.map((one) => new Client(origin).signIn(one)))
}

function transitionOf({ fresh, transition }: Facts, count: number): URLSearchParams {
  const ids = fresh.slice(0, count).map((id): [string, string] => ['id', String(id)])
  return new URLSearchParams([['transition_id', String(transition)], ...ids])
}

/** Dealers, companies and orders mention their manager's name; their search texts are written anew afterwards. */
async function rename(root: Client): Promise<void> {
  await root.post('/managers/edit/2', new URLSearchParams({ lastname: 'Renamed' }))
  await pause(3000)
}

const run = promisify(execFile)

function command(name: string, dataDir: string, ...values: string[]): Promise<unknown> {
  const script = fileURLToPath(new URL(`../../dist/commands/${name}.js`, import.meta.url))
  return run(process.execPath, [script, ...values], { env: { ...process.env, DATA_DIR: dataDir } })
}
