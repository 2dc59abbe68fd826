import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../', import.meta.url))
const mutations: { title: string; file: string; search: string; tests: string[] }[] = JSON.parse(
  readFileSync(join(root, 'test/mutations/mutations.json'), 'utf8'),
)

t.test('every mutation can be applied and names existing tests', async (t) => {
  for (const { title, file, search, tests } of mutations) {
    const source = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
    t.equal(source.split(search).length - 1, 1, `${title}: found once in ${file}`)
    for (const test of tests) t.ok(existsSync(join(root, test)), `${title}: ${test}`)
  }
})
