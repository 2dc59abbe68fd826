import { join } from 'node:path'
import type { Options } from 'sass'
import { compiled, filesIn } from './compiled.ts'
import { iconImage } from './icons.ts'

/** The style sheet of all pages: Tabler's parts in use and our own, in the cascading order of `cabinet.scss`. */
export async function stylesheet(root: string): Promise<string> {
  const content = ['templates', 'static'].flatMap((folder) => filesIn(join(root, folder)))
  return compiled(root, 'css', [join(root, 'node_modules/@tabler/core/package.json'), ...content], () => compile(root, content))
}

// Steps are others here than there, and `legend + *` restyles whole pages.
const blocklist = ['steps', 'legend']

/** Leaves out Tabler's rules for classes that none of the files names. */
async function compile(root: string, content: string[]): Promise<string> {
  const [sass, { PurgeCSS }] = await Promise.all([import('sass'), import('purgecss')])
  const loadPaths = [join(root, 'node_modules')]
  const functions: Options<'sync'>['functions'] = {
    'icon($name)': ([name]) => new sass.SassString(iconImage(name?.assertString().text ?? ''), { quotes: false }),
  }
  const { css } = sass.compile(join(root, 'static/css/cabinet.scss'), { style: 'compressed', loadPaths, functions, quietDeps: true })
  const [purged] = await new PurgeCSS().purge({ content, css: [{ raw: css }], keyframes: true, blocklist })
  return purged?.css ?? css
}
