import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { seedDefaults } from '../database/defaults.ts'
import { migrateDatabase } from '../database/migrations.ts'
import { openDatabase } from '../database/open.ts'
import { formatRoute } from './route-line.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cabinet-routes-'))
const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
migrateDatabase(db)
seedDefaults(db, 'en')
const app = await buildApp({ config: readConfig({ DATA_DIR: dataDir, RULES: process.env.RULES }), db })
await app.ready()
for (const route of app.routeTable.filter(({ method }) => method !== 'HEAD')) console.log(formatRoute(route))
await app.close()
db.$client.close()
rmSync(dataDir, { recursive: true })
