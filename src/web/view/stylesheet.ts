import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeOnce } from './write-once.ts'

export async function stylesheet(root: string): Promise<string> {
  const folder = join(root, 'static/css')
  const sources = readdirSync(folder).sort()
  const digest = createHash('sha256').update(readFileSync(join(root, 'node_modules/@tabler/core/package.json')))
  for (const name of sources) digest.update(name).update(readFileSync(join(folder, name)))
  const cached = join(root, 'dist/styles', `${digest.digest('base64url').slice(0, 10)}.css`)
  if (!existsSync(cached)) writeOnce(cached, await compile(folder, join(root, 'node_modules')))
  return readFileSync(cached, 'utf8')
}

async function compile(folder: string, packages: string): Promise<string> {
  const sass = await import('sass')
  const { css } = sass.compile(join(folder, 'cabinet.scss'), { style: 'compressed', loadPaths: [packages], quietDeps: true })
  // Tabler documents its variables with the prefix that its own build adds.
  return css.replace(/(?<![\w-])--(?=[a-z])(?!tblr-)/g, '--tblr-')
}
