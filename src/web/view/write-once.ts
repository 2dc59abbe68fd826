import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file named by its content unless it exists, atomically for concurrent readers. */
export function writeOnce(path: string, content: string | Buffer): string {
  if (existsSync(path)) return path
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
  return path
}
