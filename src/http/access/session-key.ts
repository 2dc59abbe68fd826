import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Key {
  /** Since when cookies are sealed with it; null before the first start with it. */
  since: number | null
  key: string
}

export function sessionKeys(dataDir: string, lifetime: number): Buffer[] {
  const now = Date.now()
  const file = keyFile(dataDir)
  const stored = readKeys(file)
  const dated = (stored.length > 0 ? stored : [newKey()]).map((key) => ({ ...key, since: key.since ?? now }))
  const needed = dated.filter((_, index) => (dated[index - 1]?.since ?? now) > now - lifetime)
  if (JSON.stringify(needed) !== JSON.stringify(stored)) storeKeys(file, needed)
  return needed.map(({ key }) => Buffer.from(key, 'base64'))
}

export function rotateKey(dataDir: string, revoke = false): void {
  const file = keyFile(dataDir)
  storeKeys(file, [newKey(), ...(revoke ? [] : readKeys(file))])
}

const keyFile = (dataDir: string) => join(dataDir, 'session.key')

function newKey(): Key {
  return { since: null, key: randomBytes(32).toString('base64') }
}

function readKeys(file: string): Key[] {
  if (!existsSync(file)) return []
  const content = readFileSync(file)
  if (content.length === 32) return [{ since: null, key: content.toString('base64') }]
  return JSON.parse(content.toString())
}

function storeKeys(file: string, keys: Key[]): void {
  const draft = `${file}.new`
  writeFileSync(draft, JSON.stringify(keys), { mode: 0o600, flush: true })
  renameSync(draft, file)
}
