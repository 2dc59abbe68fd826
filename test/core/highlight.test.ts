import t from 'tap'
import { highlight } from '../../src/core/highlight.ts'

t.test('of words that begin alike the longest is marked whole, in whatever order they were typed', async (t) => {
  for (const words of [
    ['win', 'window'],
    ['window', 'win'],
  ])
    t.same(highlight('Window, winter', words), ['', 'Window', ', ', 'win', 'ter'], words.join(' '))
  t.same(highlight('Window', []), ['Window'])
})
