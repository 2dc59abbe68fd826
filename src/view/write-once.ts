import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Part of an asset's path, so that a changed file has another. */
export function assetVersion(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 10)
}

/** Writes a file named by its content unless it exists, atomically for concurrent readers. */
export function writeOnce(path: string, content: string | Buffer): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
}
