import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const src = fileURLToPath(new URL('../src', import.meta.url))
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

/** What each room may import from, besides itself. */
const allowed: Record<string, string[]> = {
  core: [],
  database: ['core'],
  web: ['core', 'database', 'config.ts'],
  backup: ['core', 'database', 'web'],
  modules: ['core', 'database', 'web', 'config.ts'],
}

const roomOf = (file: string) => file.split('/')[0] as string
const imports = new Map(files.map((file) => [file, importsOf(file)]))

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/from '(\.{1,2}\/[^']+)'/g)].map((match) => relative(src, resolve(dirname(join(src, file)), match[1] as string)))
}

t.test('imports run one way between the rooms', async (t) => {
  t.ok(files.length > 50, 'the files were found')
  for (const [file, targets] of imports) {
    const room = roomOf(file)
    const wrong = targets.filter((target) => allowed[room] && roomOf(target) !== room && !allowed[room].includes(roomOf(target)))
    t.same(wrong, [], `${file} imports only what its room may`)
  }
})

t.test('modules depend on each other without circles', async (t) => {
  const moduleOf = (file: string) => file.split('/')[1] as string
  const edges = new Map<string, Set<string>>()
  for (const [file, targets] of imports) {
    if (roomOf(file) !== 'modules') continue
    const others = targets.filter((target) => roomOf(target) === 'modules' && moduleOf(target) !== moduleOf(file)).map(moduleOf)
    edges.set(moduleOf(file), new Set([...(edges.get(moduleOf(file)) ?? []), ...others]))
  }
  for (const start of edges.keys()) t.notOk(reaches(edges, start, start), `${start} does not lead back to itself`)
})

function reaches(edges: Map<string, Set<string>>, from: string, goal: string, seen = new Set<string>()): boolean {
  for (const next of edges.get(from) ?? []) {
    if (next === goal) return true
    if (seen.has(next)) continue
    seen.add(next)
    if (reaches(edges, next, goal, seen)) return true
  }
  return false
}

t.test('one place changes the status of an order', async (t) => {
  const writing = /(?:update|insert)\(orders\)|(?:updateRecord|createRecord)\([^,]+, orders\b/
  const service = files.filter((file) => !file.startsWith('database/sample/'))
  const writers = service.filter((file) => writing.test(readFileSync(join(src, file), 'utf8'))).sort()
  const room = 'modules/orders'
  // Whoever writes orders anew is to be looked at: the other three write what a form holds, and no form holds the status.
  t.same(writers, [`${room}/card.ts`, `${room}/creating.ts`, `${room}/status-change.ts`, `${room}/trying/trial.ts`])
  const naming = writers.filter((file) => /\bstatus_id: (?!choice\()/.test(readFileSync(join(src, file), 'utf8')))
  t.same(naming, [`${room}/status-change.ts`])
  const form = readFileSync(join(src, `${room}/form.ts`), 'utf8')
  t.notMatch(form, /status_id/)
})
