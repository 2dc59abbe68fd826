import { basename, join } from 'node:path'
import { compiled, filesIn } from './compiled.ts'

/** What pages and fields load, each in one file with all that it imports: a request costs a slow browser more than its bytes. */
const entries = [
  'avatar',
  'board',
  'cabinet',
  'calendar',
  'copy',
  'date-field',
  'drag-sort',
  'order-draft',
  'order-page',
  'order-prices',
  'order-total',
  'passkeys',
  'paste-rows',
  'phone-mask',
  'pictures',
  'print',
  'rich-text',
  'searchable-select',
  'show-password',
]

export async function scripts(root: string): Promise<Record<string, string>> {
  const others = ['node_modules/htmx.org/package.json', 'src/view/scripts.ts', 'static/css/calendar.css'].map((path) => join(root, path))
  const files = [...others, ...filesIn(join(root, 'static/js'))]
  return JSON.parse(await compiled(root, 'json', files, () => bundle(root)))
}

async function bundle(root: string): Promise<string> {
  const { build } = await import('esbuild')
  const entryPoints = entries.map((name) => join(root, 'static/js', `${name}.js`))
  const loader = { '.css': 'text' } as const
  const { outputFiles } = await build({ entryPoints, bundle: true, minify: true, format: 'esm', write: false, outdir: root, loader })
  return JSON.stringify(Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])))
}
