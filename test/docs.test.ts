import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const documents = globSync('{*.md,docs/*.md}', { cwd: root })
const { scripts, dependencies, devDependencies } = JSON.parse(read('package.json'))

t.test('the README names every setting', async (t) => {
  const settings = [...read('src/config.ts').matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name)
  t.ok(settings.includes('DATA_DIR') && settings.includes('SMTP_URL'), 'settings are found')
  t.same(
    settings.filter((name) => !read('README.md').includes(`\`${name}\``)),
    [],
  )
})

t.test('the README names every npm script, and no other', async (t) => {
  const named = new Set([...read('README.md').matchAll(/(?:`|^ {4})npm (?:run )?([a-z-]+)/gm)].map(([, name]) => name))
  t.same([...named].sort(), Object.keys(scripts).sort())
})

t.test('wherever the service is started, Node keeps as little memory as with npm start', async (t) => {
  const chosen = (text: string) => text.match(/(--(max-semi|heap)|MALLOC_)[^\s",]+/g)?.sort()
  t.equal(chosen(scripts.start)?.length, 5)
  for (const file of ['Dockerfile', 'deploy/cabinet.service']) t.same(chosen(read(file)), chosen(scripts.start), file)
})

t.test('the recipe for a module calls functions that exist, as a typical module does', async (t) => {
  const recipe = read('README.md').split('## Adding a module')[1]?.split('\n## ')[0] ?? ''
  const named = new Set([...recipe.matchAll(/\b(\w+)\(app, /g), ...recipe.matchAll(/`(\w+)\(/g)].map(([, name = '']) => name))
  t.ok(named.has('addRecord') && named.has('form'), [...named].join())
  const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => read(file))
  const isExported = (name: string) => sources.some((code) => new RegExp(`export (function|const) ${name}\\b`).test(code))
  t.same(
    [...named].filter((name) => !isExported(name)),
    [],
  )
  const files = [...recipe.matchAll(/`([\w-]+\.ts)`/g)].map(([, file]) => file)
  const typical = globSync('src/{modules/companies,database/schema,web/view}/*.ts', { cwd: root }).join()
  t.same(
    files.filter((file) => !typical.includes(`/${file}`)),
    [],
  )
})

t.test('every unit of systemd confines its service', async (t) => {
  for (const file of globSync('deploy/*.service', { cwd: root })) {
    const lines = read(file).split('\n')
    const wanted = ['NoNewPrivileges=yes', 'ProtectSystem=strict', 'ProtectHome=yes', 'PrivateTmp=yes', 'CapabilityBoundingSet=']
    t.same(
      [...wanted, 'SystemCallFilter=@system-service', 'UMask=0077'].filter((line) => !lines.includes(line)),
      [],
      file,
    )
    t.notOk(lines.includes('User=root') || !lines.some((line) => line.startsWith('User=')), `${file} runs as a user of its own`)
  }
})

t.test('every dependency is documented with its purpose', async (t) => {
  const rows =
    read('docs/architecture.md')
      .match(/^\| [^|]+ \|/gm)
      ?.join('') ?? ''
  const documented = new Set(rows.match(/[@\w./-]+/g))
  const all = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !name.startsWith('@types/'))
  t.same(
    all.filter((name) => !documented.has(name)),
    [],
  )
})

for (const file of documents)
  t.test(`${file} has no broken links, paths or tables`, async (t) => {
    const text = read(file)
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => join(dirname(file), path))
    const paths = [...text.matchAll(/`((?:src|test|templates|static|docs|drizzle)\/[\w./-]+)`/g)].map(([, path = '']) => path)
    const made = /regions|\/ru$/
    t.same(
      [...links, ...paths].filter((path) => !made.test(path) && !existsSync(join(root, path))),
      [],
      'every link and path leads to a file',
    )
    t.same(brokenRows(text), [], 'every row of a table has as many cells as its head')
  })

function brokenRows(text: string): string[] {
  const tables = text.match(/(?:^\|.*\n)+/gm) ?? []
  return tables.flatMap((table) => {
    const rows = table.trimEnd().split('\n')
    const width = (row = '') => row.replace(/\\\|/g, '').split('|').length
    return rows.filter((row) => !row.endsWith('|') || width(row) !== width(rows[0]))
  })
}
