import t from 'tap'
import { mutexes } from '../../src/concurrency/mutex.ts'

t.test('works of one key follow each other, also after one that fails; those of another key wait for none', async (t) => {
  const run = mutexes<string>()
  const done: string[] = []
  const held = Promise.withResolvers<void>()
  const first = run('a', async () => {
    await held.promise
    done.push('first of a')
    throw new Error('failed')
  })
  const second = run('a', async () => void done.push('second of a'))
  await run('b', async () => void done.push('first of b'))
  t.same(done, ['first of b'])
  held.resolve()
  await t.rejects(first, { message: 'failed' })
  await second
  t.same(done, ['first of b', 'first of a', 'second of a'])
  const late = Promise.withResolvers<void>()
  const third = run('a', async () => {
    await late.promise
    done.push('third of a')
  })
  const fourth = run('a', async () => void done.push('fourth of a'))
  late.resolve()
  await Promise.all([third, fourth])
  t.same(done.slice(3), ['third of a', 'fourth of a'], 'also once nothing has waited for it')
})
