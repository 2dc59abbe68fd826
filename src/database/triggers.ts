import type Sqlite from 'better-sqlite3'
import { balances } from './kept/balances.ts'
import { ledgerTallies } from './kept/ledger-tallies.ts'
import { changeSearch, securityLog } from './kept/logs.ts'
import { orderOwner } from './kept/order-owner.ts'
import { orderSerials } from './kept/order-serials.ts'
import { orderTallies } from './kept/order-tallies.ts'
import { seedKeys } from './kept/seed-keys.ts'
import type { SchemaObject, Statement } from './kept/statement.ts'
import { statusSince } from './kept/status-since.ts'
import { nameSorting } from './name-sorting.ts'
import { searchIndexes } from './searched.ts'

/** What drizzle-kit does not know. Migrating drops all of it and creates it anew afterwards, so that migrations may rebuild any table. */
const statements: Statement[] = [
  ...orderOwner,
  ...statusSince,
  ...orderSerials,
  ...orderTallies,
  ...balances,
  ...ledgerTallies,
  ...changeSearch,
  ...securityLog,
  ...seedKeys,
  ...nameSorting,
  ...Object.values(searchIndexes).flatMap((index) => index.statements),
]

const isObject = (statement: Statement): statement is SchemaObject => typeof statement !== 'string'

const wanted = new Map(statements.filter(isObject).map(({ name, sql }) => [name, sql]))

interface StoredObject extends SchemaObject {
  type: string
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

/** Creates and fills everything that drizzle-kit does not know. Call it after `dropTriggers`. */
export function createTriggers(client: Sqlite.Database): void {
  for (const statement of statements) client.exec(isObject(statement) ? statement.sql : statement)
  const differences = triggerDifferences(client)
  if (differences.length > 0) throw new Error(`The database differs from what was created: ${differences.join(', ')}`)
}
