import { readFileSync } from 'node:fs'
import type Sqlite from 'better-sqlite3'
import { root } from '../root.ts'
import { searchIndexes, sortedNames } from './searched.ts'

const file = readFileSync(new URL('src/database/triggers.sql', root), 'utf8')

const script = [file, ...sortedNames, ...Object.values(searchIndexes).map(({ sql }) => sql)].join('\n')

const wanted = new Map(
  script
    .replace(/^--.*\n/gm, '')
    .split(/^(?=[A-Z]+ )/m)
    .filter((statement) => statement.startsWith('CREATE '))
    .map((statement) => statement.replace(' IF NOT EXISTS', '').trim().replace(/;$/, ''))
    .map((statement) => [/(?:TRIGGER|VIEW|TABLE|INDEX) (\w+)/.exec(statement)?.[1] as string, statement]),
)

interface StoredObject {
  type: string
  name: string
  sql: string
}

function storedObjects(client: Sqlite.Database): StoredObject[] {
  const objects = client.prepare('select type, name, sql from sqlite_master where sql is not null').all() as StoredObject[]
  return objects.filter(({ type, name, sql }) => /^(trigger|view)$/.test(type) || /^create virtual /i.test(sql) || wanted.has(name))
}

export function triggerDifferences(client: Sqlite.Database): string[] {
  const stored = new Map(storedObjects(client).map(({ name, sql }) => [name, sql]))
  const names = new Set([...wanted.keys(), ...stored.keys()])
  return [...names].filter((name) => wanted.get(name) !== stored.get(name))
}

export function dropTriggers(client: Sqlite.Database): void {
  // Dropping a table drops its indexes, which may come later in the list.
  for (const { type, name } of storedObjects(client)) client.exec(`drop ${type} if exists "${name}"`)
}

/** Creates and fills everything that drizzle-kit does not know: `triggers.sql`, the search indexes and the sorting by names. Call it after `dropTriggers`. */
export function createTriggers(client: Sqlite.Database): void {
  client.exec(script)
  const differences = triggerDifferences(client)
  if (differences.length > 0) throw new Error(`The database differs from what was created: ${differences.join(', ')}`)
}
