// The rules for templates that a formatter does not know; see "Templates" in CONTRIBUTING.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

const rules = [
  [/^.{161,}$/m, 'a line has at most 160 characters'],
  [/\{%-?\s*include\b/, 'an include keeps the memory of its page: call render with named data, or a macro'],
  [/<[a-z][^<>]*\{%/, 'a conditional attribute is an expression: {{ attr(…) }} or {{ … if … }}'],
  [/<style\b|\bstyle="|\bon[a-z]+="/, 'no style and no script inside'],
  [/<script(?![^>]* src=)/, 'a script is a file of its own'],
]

const folder = join(root, 'templates')
const problems = readdirSync(folder, { recursive: true })
  .filter((path) => path.endsWith('.njk'))
  .flatMap((path) => {
    const source = readFileSync(join(folder, path), 'utf8')
    return rules
      .filter(([pattern]) => pattern.test(source))
      .map(([pattern, rule]) => `${path}: ${rule} (${pattern.exec(source)?.[0].slice(0, 60)})`)
  })
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
