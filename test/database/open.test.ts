import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'

t.test('a write is compiled once; what returns rows, each in a way of its own, whenever it is asked for', async (t) => {
  const { db } = await startCabinet(t)
  const prepare = (text: string) => db.$client.prepare(text)
  const write = prepare('update stocks set name = ? where id = ?')
  t.equal(prepare('update stocks set name = ? where id = ?'), write)
  t.not(prepare('update stocks set name = ?'), write)
  for (const text of ['select name from stocks', 'update stocks set name = name returning id']) {
    const rows = prepare(text).all()
    prepare(text).raw()
    t.same(prepare(text).all(), rows, text)
  }
})
