import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { orders } from '../../src/database/schema/index.ts'
import { tokenFor } from '../support/api.ts'
import { startCabinet } from '../support/cabinet.ts'
import { keyOf } from '../support/files.ts'

const run = promisify(execFile)

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
/** Commands end where the next one begins. */
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.split(/\n(?=curl|export)/))
  .filter((one) => one.startsWith('curl'))

t.test('the page of the API leads from a token to an order that has moved', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const CABINET = await app.listen({ port: 0, host: '127.0.0.1' })
  const TOKEN = tokenFor(cabinet, cast.denis)
  const answers: { status: number; body: Record<string, unknown> }[] = []
  for (const command of commands) {
    const { stdout } = await run('sh', ['-c', `${command.trim()} -w '\n%{http_code}'`], { env: { ...process.env, CABINET, TOKEN } })
    const [body = '', status] = stdout.trim().split(/\n(?=\d+$)/)
    answers.push({ status: Number(status), body: JSON.parse(body) })
  }
  t.same(
    answers.map(({ status }) => status),
    [200, 201, 200, 200, 201, 200, 200],
  )
  const [list, placed, changed, moved, sent, since, deletions] = answers.map(({ body }) => body)
  t.match(list, { items: [{ id: 1, status: 'New', cost: 0 }], next: null })
  t.match(placed, { id: 2, cost: 300_100, version: 2 })
  t.match(changed, { comment: 'Call before delivery', receiver: 'Ivan Petrov', transitions: [{ id: 1 }] })
  t.match(moved, { id: 2, history: [{ comment: 'Exported' }] })
  t.not(moved?.status_id, placed?.status_id)
  t.equal(db.select().from(orders).where(eq(orders.id, 2)).get()?.status_id, moved?.status_id)
  t.match(sent, { items: [{ key: keyOf('Invoice 1001'), name: 'invoice.txt' }] })
  t.match(since, { items: [{}, {}] })
  t.same(deletions, { items: [], next: null })
})

t.test('the page of the API names every address of its description, and no other', async (t) => {
  const { as } = await startCabinet(t)
  const { paths } = (await (await as('root')).get('/api/v1/openapi.json')).json()
  const named = page.split('## Lists')[1]?.split('\n\n')[1] ?? ''
  for (const path of Object.keys(paths)) {
    const first = path
      .replace(/^\/(companies|dealers|payments|products|categories|stocks|manufactures|news)\/\{id\}$/, '/orders/{id}')
      .replace('/statuses/{id}', '/orders/{id}')
    t.match(named, `\`${first}\``, path)
  }
})
