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
  // Look at every new writer of orders: most write what a form holds, and no form holds the status; a step that is undone puts back what was;
  // a document that is issued is held by its order; prices that are renewed are cost and lines; of a dealer who moves orders stay with a company;
  // those of the sample data get the documents that are issued of them.
  const names = ['card', 'create-order', 'documents/issue', 'pricing/outdated-prices', 'transitions/apply-plan', 'transitions/undo-step']
  t.same(writers, [...names.map((name) => `${folder}/${name}.ts`), 'modules/users/dealers/change-company.ts', 'sample-documents.ts'])
  const named = writers.filter((file) => /\bstatus_id: (?!choice\()/.test(textOf(file)))
  t.same(named, [`${folder}/transitions/apply-plan.ts`])
  t.notMatch(textOf(`${folder}/form.ts`), /status_id/)
})
