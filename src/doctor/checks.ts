import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { verifyDatabase } from '../backup/database.ts'
import { databaseName } from '../backup/files.ts'
import { allowsDemo, type Config, ConfigError, configWarnings, readConfig } from '../config.ts'
import { wrongBalances } from '../database/ledger-balances.ts'
import { lastMigration, latestMigration } from '../database/migrations.ts'
import { addFunctions } from '../database/reader.ts'
import { outdatedTexts } from '../database/search-index.ts'
import { triggerDifferences } from '../database/triggers.ts'
import { refuseOpenDemoAccounts } from '../demo-accounts.ts'
import { createMailTransport } from '../http/send-mail.ts'

type Check = (config: Config) => string | Promise<string>

interface CheckResult {
  name: string
  detail?: string
  problem?: string
}

const checks: Record<string, Check> = {
  'data folder': ({ dataDir }) => checkDataFolder(dataDir),
  'disk space': ({ dataDir }) => checkDiskSpace(dataDir),
  database: ({ dataDir }) => checkIntegrity(dataDir),
  schema: ({ dataDir }) => checkSchema(dataDir),
  'search indexes': ({ dataDir }) => checkSearch(dataDir),
  ledger: ({ dataDir }) => checkLedger(dataDir),
  'demo accounts': checkDemoAccounts,
  clock: ({ dataDir, timeZone }) => checkClock(dataDir, timeZone),
  mail: checkMail,
}

export async function runChecks(environment: NodeJS.ProcessEnv): Promise<CheckResult[]> {
  try {
    const config = readConfig(environment)
    const warnings = configWarnings(config).join('; ')
    const results: CheckResult[] = [{ name: 'settings', detail: 'readable and complete', problem: warnings || undefined }]
    for (const [name, check] of Object.entries(checks)) results.push(await runCheck(name, check, config))
    return results
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [{ name: 'settings', problem: error.message }]
  }
}

async function runCheck(name: string, check: Check, config: Config): Promise<CheckResult> {
  try {
    return { name, detail: await check(config) }
  } catch (error) {
    return { name, problem: (error as Error).message }
  }
}

async function checkMail({ mail }: Config): Promise<string> {
  if (!mail) return 'not configured: SMTP_URL is not set, so no email is sent'
  const transport = await createMailTransport(mail)
  try {
    await transport.verify()
    return `the server accepts email from ${mail.from}`
  } catch (error) {
    throw new Error(`the server rejects email (${(error as Error).message}): check SMTP_URL and SMTP_TLS`)
  } finally {
    transport.close()
  }
}

const gigabyte = 1024 ** 3

function checkDataFolder(dataDir: string): string {
  if (!existsSync(dataDir)) throw new Error(`${dataDir} does not exist: start the service once, or correct DATA_DIR`)
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    throw new Error(`${dataDir} is not writable by this user: run this as the user of the service, or change its owner`)
  }
  const others = statSync(dataDir).mode & 0o077
  if (others && process.platform !== 'win32') throw new Error(`other users can enter ${dataDir}: chmod 700 ${dataDir}`)
  return dataDir
}

function checkDiskSpace(dataDir: string): string {
  const { bavail, bsize } = statfsSync(existsSync(dataDir) ? dataDir : dirname(dataDir))
  const free = bavail * bsize
  const file = join(dataDir, 'cabinet.sqlite')
  const needed = Math.max(gigabyte, existsSync(file) ? statSync(file).size * 2 : 0)
  const text = `${(free / gigabyte).toFixed(1)} GB free`
  if (free < needed) throw new Error(`${text}, ${(needed / gigabyte).toFixed(1)} GB are needed for a migration: free disk space`)
  return text
}

function checkIntegrity(dataDir: string): string {
  const files = verifyDatabase(join(dataDir, databaseName))
  return `intact, with ${files.length} stored files`
}

function checkSchema(dataDir: string): Promise<string> {
  return reading(dataDir, (client) => {
    if (lastMigration(client) < latestMigration) throw new Error('migrations are missing: restart the service with this version')
    const differences = triggerDifferences(client)
    if (differences.length > 0) throw new Error(`${differences.join(', ')} differ from the program's: restart the service`)
    return 'as the program expects'
  })
}

function checkSearch(dataDir: string): Promise<string> {
  return reading(dataDir, (client) => {
    const outdated = outdatedTexts(client)
    if (outdated > 0) throw new Error(`${outdated} records are missing from the search index: stop the service and run npm run reindex`)
    return 'complete'
  })
}

function checkLedger(dataDir: string): Promise<string> {
  return reading(dataDir, (client) => {
    if (lastMigration(client) < latestMigration) return 'checked at the next start, after the migrations'
    const different = wrongBalances(client)
    if (different > 0) throw new Error(`${different} balances differ from their entries: stop the service and run npm run reindex`)
    return 'balances add up'
  })
}

async function checkDemoAccounts(config: Config): Promise<string> {
  const migrated = await reading(config.dataDir, async (client) => {
    if (lastMigration(client) < latestMigration) return false
    await refuseOpenDemoAccounts(config, client)
    return true
  })
  if (!migrated) return 'checked at the next start, after the migrations'
  return allowsDemo(config) ? 'allowed, as only this machine reaches the service' : 'nobody can sign in with the demo password'
}

function checkClock(dataDir: string, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone): Promise<string> {
  return reading(dataDir, (client) => {
    const newest = Number(client.prepare('select max(at) from changes').pluck().get() ?? 0)
    const now = new Date()
    if (newest > now.getTime() + 60_000)
      throw new Error(`it is ${now.toISOString()}, before the last change of ${new Date(newest).toISOString()}: set the clock`)
    return `${now.toLocaleString('sv', { timeZone })} ${timeZone}`
  })
}

async function reading<T>(dataDir: string, read: (client: Sqlite.Database) => T | Promise<T>): Promise<T> {
  const client = new Sqlite(join(dataDir, databaseName), { readonly: true, fileMustExist: true })
  addFunctions(client)
  try {
    return await read(client)
  } finally {
    client.close()
  }
}
