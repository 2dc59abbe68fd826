import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Grant } from '../core/access.ts'
import { seedDefaults } from '../database/defaults.ts'
import { migrateDatabase, openDatabase } from '../database/open.ts'
import type { Access, RouteEntry } from '../web/app-types.ts'

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

function formatRoute({ method, url, access, record, answers }: RouteEntry): string {
  const answer = answers ?? (method === 'GET' ? 'page, region' : 'redirect')
  return [method.padEnd(5), url.padEnd(44), answer.padEnd(13), describeAccess(access), record ? 'of the record' : ''].join(' ').trimEnd()
}

function describeAccess(access: Access | undefined): string {
  if (!Array.isArray(access)) return String(access)
  return access.map((grants) => grants.map(describeGrant).join(' or ')).join(' AND ')
}

function describeGrant({ permission, scope }: Grant): string {
  const right = typeof permission === 'string' ? permission : 'policy' in permission ? permission.policy : `group ${permission.group}`
  return scope ? `${right} (${scope.description})` : right
}
