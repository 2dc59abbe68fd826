import './cheap-hashing.ts'
import './in-process-sheets.ts'
import './template-cache.ts'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { FastifyInstance } from 'fastify'
import type t from 'tap'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { HttpError } from '../../src/http/request/errors.ts'
import { type Cast, seedCast } from './cast.ts'
import { templateFile } from './database-template.ts'
import { atEndOfRun } from './end-of-run.ts'
import { forgetAnswers, noteAnswer } from './latest-answers.ts'

export interface Options {
  environment?: Record<string, string>
  empty?: boolean
  /** For a test that looks at what an application does only once, such as preparing its statements. */
  anew?: boolean
  setupToken?: string
  /** Receives the lines of the log. */
  log?: string[]
  /** Called before each answer. */
  onSend?: () => Promise<void>
}

type Test = Pick<typeof t, 'teardown'>

export interface RunningApp {
  app: FastifyInstance
  db: Database
  dataDir: string
  isClosed: boolean
}

/** The real application with the cast, on a database that holds nothing else; the next test gets it again. */
export async function borrowApp(test: Test): Promise<RunningApp> {
  const borrowed = idle.pop() ?? (await openApp({}))
  unused ??= await copyDatabase(borrowed)
  const state = stateOf(borrowed)
  test.teardown(async () => {
    forgetAnswers()
    if (isRecorded || stateOf(borrowed) !== state) return closeApp(borrowed)
    await restore(borrowed, unused as Sqlite.Database)
    idle.push(borrowed)
  })
  return borrowed
}

/** While it is recorded what tests run, each starts its own, as the start belongs to all of them. */
const isRecorded = Boolean(process.env.RECORDINGS)

const idle: RunningApp[] = []
let unused: Sqlite.Database | undefined
atEndOfRun(async () => void (await Promise.all(idle.map(closeApp))))

let tokens = 1_000_000

/** Of an API token: no other of this process has it. */
export const nextTokenId = () => ++tokens

/** The database of an application that has only just started. */
async function copyDatabase({ db }: RunningApp): Promise<Sqlite.Database> {
  const folder = mkdtempSync(join(tmpdir(), 'unused-'))
  const file = join(folder, 'cabinet.sqlite')
  await db.$client.backup(file)
  const copy = new Sqlite(file, { readonly: true })
  atEndOfRun(() => {
    copy.close()
    rmSync(folder, { recursive: true })
  })
  return copy
}

/** What tests may change of an application beside its data; it then serves no other test. */
function stateOf({ app, isClosed }: RunningApp): string {
  return JSON.stringify([isClosed, app.server.listening, app.config, app.timeouts.export, app.timeouts.webhook])
}

/** Puts the database back as another program would, which the application notices, and removes what was uploaded. */
async function restore({ dataDir }: RunningApp, unused: Sqlite.Database): Promise<void> {
  await unused.backup(join(dataDir, 'cabinet.sqlite'))
  const uploaded = readdirSync(dataDir).filter((name) => name !== 'session.key' && !name.startsWith('cabinet.sqlite'))
  for (const name of uploaded) rmSync(join(dataDir, name), { recursive: true })
}

/** The real application on a new database; removed when the test ends. */
export async function startApp(test: Test, options: Options): Promise<RunningApp> {
  const started = await openApp(options)
  test.teardown(async () => {
    forgetAnswers()
    await closeApp(started)
  })
  return started
}

async function openApp({ environment = {}, empty = false, setupToken, log, onSend }: Options): Promise<RunningApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cabinet-'))
  const file = join(dataDir, 'cabinet.sqlite')
  if (empty) copyFileSync(templateFile(), file)
  else writeFileSync(file, peopled().content)
  const db = openDatabase(file)
  // Test data need not survive a power failure.
  db.$client.pragma('synchronous = OFF')
  const config = readConfig({ DATA_DIR: dataDir, ...environment })
  const app = await buildApp({ config, db, setupToken, ...(log && { log: { write: (line: string) => log.push(line) } }) })
  app.addHook('onError', async (_request, _reply, error) => {
    if (!(error instanceof HttpError) && (error.statusCode ?? 500) >= 500) console.error(error)
  })
  // On a busy machine even a short spreadsheet takes long.
  app.timeouts.export = 600_000
  app.addHook('onSend', noteAnswer)
  if (onSend) app.addHook('onSend', onSend)
  const running = { app, db, dataDir, isClosed: false }
  app.addHook('onClose', async () => void (running.isClosed = true))
  await withoutHousekeeping(async () => app.ready())
  return running
}

const { setTimeout: later } = globalThis

/** A minute after its start an application begins to clear away what is old, which no test expects. */
async function withoutHousekeeping(start: () => Promise<unknown>): Promise<void> {
  globalThis.setTimeout = ((work: () => void, delay = 0) => later(work, delay === 60_000 ? 3600_000 : delay)) as typeof setTimeout
  await start()
  globalThis.setTimeout = later
}

async function closeApp({ app, db, dataDir }: RunningApp): Promise<void> {
  await app.close()
  db.$client.close()
  rmSync(dataDir, { recursive: true })
}

let written: { content: Buffer; cast: Cast } | undefined

/** A database with the cast, written once per process. */
export function peopled() {
  if (written) return written
  const folder = mkdtempSync(join(tmpdir(), 'cast-'))
  const file = join(folder, 'cabinet.sqlite')
  copyFileSync(templateFile(), file)
  const db = openDatabase(file)
  const cast = seedCast(db)
  db.$client.close()
  written = { content: readFileSync(file), cast }
  rmSync(folder, { recursive: true })
  return written
}
