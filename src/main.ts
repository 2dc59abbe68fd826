import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { buildApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { plantDefaults } from './database/defaults.ts'
import { migrateDatabase, openDatabase } from './database/open.ts'
import { prepareFirstStart } from './first-start.ts'

try {
  await start()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  if (config.timeZone) process.env.TZ = config.timeZone
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const db = openDatabase(join(config.dataDir, 'cabinet.sqlite'))
  migrateDatabase(db)
  plantDefaults(db, config.language)
  const { lines, ...firstStart } = await prepareFirstStart(config, db)
  for (const line of lines) console.log(line)
  const app = await buildApp({ config, db, ...firstStart, logger: true })
  closeOn(app, 'SIGTERM', 'SIGINT')
  const address = (await app.listen({ host: config.host, port: config.port })) + config.baseUrl
  if (firstStart.setupToken) console.log(`Open ${address}/setup/${firstStart.setupToken} to create the first superadministrator.`)
  console.log(`listening on ${address}`)
}

/** What was begun is finished before the process ends. */
function closeOn(app: FastifyInstance, ...signals: NodeJS.Signals[]): void {
  for (const signal of signals)
    process.once(signal, async () => {
      await app.close()
      app.db.$client.close()
    })
}
