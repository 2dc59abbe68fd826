import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file whose name changes with its content, unless it is there: whoever looks meanwhile finds all of it or nothing. */
export function writeOnce(path: string, content: string | Buffer): string {
  if (existsSync(path)) return path
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, path)
  return path
}
