// `npm run routes`: every route with its method, who may, and whether it has a fragment.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Way } from '../core/access.ts'
import { plantDefaults } from '../database/defaults.ts'
import { migrateDatabase, openDatabase } from '../database/open.ts'
import type { Access, RouteEntry } from '../web/http.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'cabinet-routes-'))
const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
migrateDatabase(db)
plantDefaults(db, 'en')
const app = await buildApp({ config: readConfig({ DATA_DIR: dataDir, RULES: process.env.RULES }), db })
await app.ready()
for (const route of app.routeTable.filter(({ method }) => method !== 'HEAD')) console.log(line(route))
await app.close()
db.$client.close()
rmSync(dataDir, { recursive: true })

function line({ method, url, access, record, answers }: RouteEntry): string {
  const answer = answers ?? (method === 'GET' ? 'page, region' : 'redirect')
  return [method.padEnd(5), url.padEnd(44), answer.padEnd(13), describe(access), record ? 'of the record' : ''].join(' ').trimEnd()
}

function describe(access: Access | undefined): string {
  if (!Array.isArray(access)) return String(access)
  return access.map((ways) => ways.map(inWords).join(' or ')).join(' AND ')
}

function inWords({ holds, whose }: Way): string {
  const right = typeof holds === 'string' ? holds : 'policy' in holds ? holds.policy : `group ${holds.group}`
  return whose ? `${right} (${whose.words})` : right
}
