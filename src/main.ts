import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { answerHelp } from './commands/command-line.ts'
import { ConfigError, configWarnings, readConfig } from './config.ts'
import { closeDataFolder, createDataFolder } from './data-folder.ts'
import { seedDefaults } from './database/defaults.ts'
import { migrateDatabase } from './database/migrations.ts'
import { type Database, openDatabase } from './database/open.ts'
import { prepareFirstStart } from './first-start.ts'
import { createLogDestination } from './http/log.ts'
import { shutDown } from './shutdown.ts'

answerHelp('start')
try {
  await start()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  // Files written by the service must be readable by its owner only.
  process.umask(0o077)
  if (config.timeZone) process.env.TZ = config.timeZone
  const db = openDataDir(config.dataDir)
  const opened = closeDataFolder(config.dataDir)
  migrateDatabase(db)
  seedDefaults(db, config.language)
  const { lines, isNewSample, ...firstStart } = await prepareFirstStart(config, db)
  for (const line of lines) console.log(line)
  const app = await buildApp({ config, db, ...firstStart, log: createLogDestination(process.stdout.fd) })
  for (const warning of [...configWarnings(config), opened].filter(Boolean)) app.log.warn(warning)
  if (isNewSample) await completeSample(app)
  shutDownOn(app, 'SIGTERM', 'SIGINT')
  const address = await listen(app)
  if (firstStart.setupToken) console.log(`Open ${address}/setup/${firstStart.setupToken} to create the first superadministrator.`)
  console.log(`listening on ${address}`)
}

/** With what only the service makes. */
async function completeSample(app: FastifyInstance): Promise<void> {
  const [{ issueSampleDocuments }, { notifyOfSamplePayments }] = [
    await import('./sample-documents.ts'),
    await import('./sample-notifications.ts'),
  ]
  await issueSampleDocuments(app)
  await notifyOfSamplePayments(app)
}

function openDataDir(dataDir: string): Database {
  try {
    createDataFolder(dataDir)
    return openDatabase(join(dataDir, 'cabinet.sqlite'))
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR: ${JSON.stringify(dataDir)} cannot be used (${codeOf(error)}), accepted is a folder this user may write to`,
    )
  }
}

async function listen(app: FastifyInstance): Promise<string> {
  const { host, port, baseUrl } = app.config
  try {
    return (await app.listen({ host, port })) + baseUrl
  } catch (error) {
    await app.close()
    const code = codeOf(error)
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw new ConfigError(`PORT: "${port}" cannot be used (${code}), accepted is a port that is free and allowed to this user`)
    throw new ConfigError(`HOST: ${JSON.stringify(host)} cannot be used (${code}), accepted is a name or address of this machine`)
  }
}

function codeOf(error: unknown): string {
  return String((error as { code?: string }).code ?? error)
}

function shutDownOn(app: FastifyInstance, ...signals: NodeJS.Signals[]): void {
  for (const signal of signals) process.once(signal, () => shutDown(app))
}
