import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const src = fileURLToPath(new URL('../../src', import.meta.url))
const textOf = (file: string) => readFileSync(`${src}/${file}`, 'utf8')

t.test('only one source file changes the status of an order', async (t) => {
  const writes = /(?:update|insert)\(orders\)|(?:updateRecord|createRecord)\([^,]+, orders\b/
  const files = globSync('**/*.ts', { cwd: src, exclude: ['database/sample'] })
  const writers = files.filter((file) => writes.test(textOf(file))).sort()
  const folder = 'modules/orders'
  // Look at every new writer of orders: the others write what a form holds, and no form holds the status.
  t.same(writers, [`${folder}/card.ts`, `${folder}/change-status.ts`, `${folder}/create-order.ts`, `${folder}/dry-run.ts`])
  const named = writers.filter((file) => /\bstatus_id: (?!choice\()/.test(textOf(file)))
  t.same(named, [`${folder}/change-status.ts`])
  t.notMatch(textOf(`${folder}/form.ts`), /status_id/)
})
