import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeOnce } from './write-once.ts'

/** The style sheet of all pages: Tabler's parts in use and our own, in the cascading order of `cabinet.scss`. */
export async function stylesheet(root: string): Promise<string> {
  const content = ['templates', 'static'].flatMap((folder) => filesIn(join(root, folder)))
  const digest = createHash('sha256').update(readFileSync(join(root, 'node_modules/@tabler/core/package.json')))
  for (const path of content) digest.update(path.slice(root.length)).update(readFileSync(path))
  const cached = join(root, 'dist/styles', `${digest.digest('base64url').slice(0, 10)}.css`)
  if (!existsSync(cached)) writeOnce(cached, await compile(root, content))
  return readFileSync(cached, 'utf8')
}

function filesIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

/** Leaves out Tabler's rules for classes that none of the files names. */
async function compile(root: string, content: string[]): Promise<string> {
  const [sass, { PurgeCSS }] = await Promise.all([import('sass'), import('purgecss')])
  const loadPaths = [join(root, 'node_modules')]
  const { css } = sass.compile(join(root, 'static/css/cabinet.scss'), { style: 'compressed', loadPaths, quietDeps: true })
  const [purged] = await new PurgeCSS().purge({ content, css: [{ raw: css }], keyframes: true, blocklist: ['steps'] })
  return purged?.css ?? css
}
