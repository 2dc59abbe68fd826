import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { type Recording, testsFor } from './mutations/generated/coverage.ts'
import { applyFault, diffOf, type Fault } from './mutations/generated/fault.ts'
import { hunt, report } from './mutations/generated/hunt.ts'
import { faultsInSql } from './mutations/generated/in-sql.ts'
import { faultsInTemplate } from './mutations/generated/in-templates.ts'
import { faultsInTypeScript } from './mutations/generated/in-typescript.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

const results = (generate: (source: string) => Fault[], source: string) => generate(source).map((fault) => applyFault(source, fault))

t.test('faults of programmers are made of TypeScript', async (t) => {
  const cases: [source: string, ...faulty: string[]][] = [
    ['if (a) b()', 'if (!(a)) b()', 'if (false) b()', 'if (a) ;'],
    ['x = a && b', 'x = a', 'x = b', 'x = a || b'],
    ['x = a < 5', 'x = a <= 5', 'x = a > 5', 'x = a < 4', 'x = a < 6'],
    ['x = a === b ? c : d', 'x = a !== b ? c : d', 'x = !(a === b) ? c : d'],
    ['f(a, b)', 'f(b, a)', 'f(a)', ''],
    ['x = and(eq(a, 1), b)', 'x = and(b)', 'x = and(eq(a, 1))', 'x = or(eq(a, 1), b)'.concat("import { or } from 'drizzle-orm'\n")],
    ['db.where(a).orderBy(desc(b))', 'db.where(a)', 'db.orderBy(desc(b))'],
    ['x = sql`a = 1 and b order by c desc`', 'x = sql`a <> 1 and b order by c desc`', 'x = sql`a = 1 and b order by c asc`'],
    ["x = { label: 'Name', on: true }", "x = { label: '', on: true }", "x = { label: 'Name', on: false }", "x = { label: 'Name' }"],
    ['x = line.price; y = line.amount', 'x = line.amount; y = line.amount'],
    ['x = list.filter(isOpen)[0]', 'x = list[0]'],
  ]
  for (const [source, ...faulty] of cases) {
    const found = results(faultsInTypeScript, source)
    for (const text of faulty) t.ok(found.includes(text), `${source}: ${text}`, { found })
  }
  t.same(faultsInTypeScript("import a from 'b'\ntype A = 'b' | 5\nlog.info('c')\nexport interface B { a: 1 }"), [])
})

t.test('faults of programmers are made of templates and triggers', async (t) => {
  const cases: [generate: (source: string) => Fault[], source: string, ...faulty: string[]][] = [
    [faultsInTemplate, '{% if a.b and c %}d{% endif %}', '{% if not (a.b and c) %}d{% endif %}', '{% if a.b or c %}d{% endif %}'],
    [faultsInTemplate, '<b id="c">{{ x.price }}{{ x.amount }}</b>', '<b>{{ x.price }}{{ x.amount }}</b>', '<b id="c">{{ x.amount }}</b>'],
    [faultsInTemplate, '{{ x.price }}{{ x.amount }}', '{{ x.amount }}{{ x.amount }}'],
    [faultsInTemplate, '{{ at | date }}', '{{ at }}', ''],
    [faultsInTemplate, "{{ 'a' if b else 'c' }}", "{{ 'a' if not (b) else 'c' }}"],
    [faultsInSql, 'AFTER UPDATE OF a, b ON c', 'AFTER UPDATE OF a ON c', 'AFTER UPDATE OF b ON c'],
    [faultsInSql, 'UPDATE a SET b = b + 1 WHERE c > 2;', 'UPDATE a SET b = b - 1 WHERE c > 2;', 'UPDATE a SET b = b + 1 WHERE c >= 2;'],
  ]
  for (const [generate, source, ...faulty] of cases) {
    const found = results(generate, source)
    for (const text of faulty) t.ok(found.includes(text), `${source}: ${text}`, { found })
  }
  t.same(faultsInTemplate('{# {% if a %} #}<p class="b">c</p>'), [])
  t.same(faultsInSql('-- This and that = 1.'), [])
})

t.test(
  'tests that run a place come in the order in which they are likely to notice, and those that do not run it not at all',
  async (t) => {
    const path = 'src/modules/orders/dashboard.ts'
    const recording = (test: string, count: number, seconds: number): Recording => ({
      test,
      passed: true,
      seconds,
      runs: { [path]: [[10, 20, count]] },
      reads: [],
      hashes: {},
    })
    const recordings = [
      recording('test/modules/order-pages.test.ts', 1, 1),
      recording('test/modules/routes.test.ts', 1, 1),
      recording('test/modules/dashboards.test.ts', 1, 30),
      recording('test/modules/routes-often.test.ts', 9, 1),
      recording('test/modules/dashboard-never.test.ts', 0, 1),
    ]
    const named = testsFor(recordings, path, '', 15).map(({ test }) => test)
    t.same(
      named,
      ['dashboards', 'order-pages', 'routes-often', 'routes'].map((name) => `test/modules/${name}.test.ts`),
      'named like the file, like its folder, then by runs a second',
    )
  },
)

t.test('a fault is shown as a diff', async (t) => {
  const source = 'one\ntwo\nthree\nfour\nfive\nsix\n'
  const start = source.indexOf('three')
  const diff = diffOf('src/a.ts', source, { kind: 'text changed', start, end: start + 5, text: 'drei' })
  t.equal(diff, '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,5 +1,5 @@ text changed\n one\n two\n-three\n+drei\n four\n five')
})

t.test('a fault that a test notices is told from one that none does and from one that does not compile', async (t) => {
  const project = mkdtempSync(join(tmpdir(), 'project-'))
  t.teardown(() => rmSync(project, { recursive: true }))
  writeProject(project)
  const judged = await hunt({ root: project, places: ['src'], seed: 1, seconds: 30, jobs: 1, say: () => {} })
  const conditions = (noticed: boolean) => {
    const lines = judged.filter((one) => one.noticed === noticed).map(({ source, fault }) => changedLine(source, fault))
    return lines.map((line) => line.split('=> ')[1]).sort()
  }
  t.same(conditions(true), ['count < 3', 'count > 3', 'count >= 2', 'count >= 4', 'days < 7'])
  t.same(conditions(false), ['days > 6', 'days > 8', 'days >= 7'])
  t.match(report(judged), /\n-export const isLate = \(days: number\) => days > 7\n\+export const isLate = \(days: number\) => days >= 7\n/)
  t.match(report(judged), 'src/limits.ts: 5 noticed, 3 survived')
})

function changedLine(source: string, fault: Fault): string {
  const lines = applyFault(source, fault).split('\n')
  return lines.find((line) => !source.includes(line)) ?? ''
}

/** Two rules, of which one is tested at its boundary, and a text that no other can replace. */
function writeProject(folder: string): void {
  for (const name of ['src', 'test', 'node_modules']) mkdirSync(join(folder, name))
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache'))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  cpSync(join(root, 'test/runner'), join(folder, 'test/runner'), { recursive: true })
  for (const name of ['package.json', 'tsconfig.json']) cpSync(join(root, name), join(folder, name))
  writeFileSync(
    join(folder, 'src/limits.ts'),
    'export const isFull = (count: number) => count >= 3\nexport const isLate = (days: number) => days > 7\n' +
      "export const unit: 'days' = 'days'\n",
  )
  writeFileSync(
    join(folder, 'test/limits.test.ts'),
    "import t from 'tap'\nimport { isFull, isLate } from '../src/limits.ts'\n" +
      "t.test('limits', async (t) => {\n  t.same([2, 3].map(isFull), [false, true])\n  t.equal(isLate(30), true)\n})\n",
  )
}
