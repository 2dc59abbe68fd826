import { join } from 'node:path'
import type { Options } from 'sass'
import { compiled, filesIn } from './compiled.ts'
import { fontFiles, fontSource } from './fonts.ts'
import { iconImage, iconStrip } from './icons.ts'

/** The style sheet of all pages: Tabler's parts in use and our own, in the cascading order of `cabinet.scss`. */
export async function stylesheet(root: string): Promise<string> {
  const content = ['templates', 'static'].flatMap((folder) => filesIn(join(root, folder)))
  const others = ['node_modules/@tabler/core/package.json', ...Object.values(fontFiles)]
  return compiled(root, 'css', [...others.map((path) => join(root, path)), ...content], () => compile(root, content))
}

// Steps are others here than there, and `legend + *` restyles whole pages.
const blocklist = ['steps', 'legend']

/** Leaves out Tabler's rules for classes that none of the files names, and variables that no rule uses. */
async function compile(root: string, content: string[]): Promise<string> {
  const [sass, { PurgeCSS }] = await Promise.all([import('sass'), import('purgecss')])
  const loadPaths = [join(root, 'node_modules')]
  const functions: Options<'async'>['functions'] = {
    'font($name)': ([name]) => new sass.SassString(fontSource(root, name?.assertString().text ?? ''), { quotes: false }),
    'icons($names)': ([names]) => {
      const list = names?.asList.toArray().map((name) => name.assertString().text) ?? []
      return new sass.SassString(iconStrip(list), { quotes: false })
    },
    'icon($name)': async ([name]) => new sass.SassString(await iconImage(name?.assertString().text ?? ''), { quotes: false }),
  }
  const { css } = await sass.compileAsync(join(root, 'static/css/cabinet.scss'), {
    style: 'compressed',
    loadPaths,
    functions,
    quietDeps: true,
  })
  const [used] = await new PurgeCSS().purge({ content, css: [{ raw: css }], blocklist })
  const [small] = await new PurgeCSS().purge({ content: [], css: [{ raw: used?.css ?? css }], safelist: [/./], variables: true })
  return small?.css ?? css
}
