import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeOnce } from './write-once.ts'

/** What is compiled from these files, anew only when one of them has changed. */
export async function compiled(root: string, extension: string, files: string[], compile: () => Promise<string>): Promise<string> {
  const digest = createHash('sha256')
  for (const path of files) digest.update(path.slice(root.length)).update(readFileSync(path))
  const cached = join(root, 'dist/compiled', `${digest.digest('base64url').slice(0, 10)}.${extension}`)
  if (!existsSync(cached)) writeOnce(cached, await compile())
  return readFileSync(cached, 'utf8')
}

export function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}
