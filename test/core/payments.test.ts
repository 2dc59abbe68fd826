import fc from 'fast-check'
import t from 'tap'
import { distribute, dueSinceEntering } from '../../src/core/payments.ts'

t.test('an order is due from the day on which it first enters a status that makes it due, until one that ends it', (t) => {
  t.equal(dueSinceEntering('starts', null, '2026-03-02'), '2026-03-02')
  t.equal(dueSinceEntering('starts', '2026-03-01', '2026-03-02'), '2026-03-01', 'a second one begins nothing anew')
  t.equal(dueSinceEntering(null, '2026-03-01', '2026-03-02'), '2026-03-01')
  t.equal(dueSinceEntering(null, null, '2026-03-02'), null)
  t.equal(dueSinceEntering('ends', '2026-03-01', '2026-03-02'), null)
  t.end()
})

t.test(
  'an amount is handed out in order: no share gets more than it asks for, none is left empty, and nothing is kept while one lacks',
  (t) => {
    const amounts = fc.nat({ max: 20 })
    fc.assert(
      fc.property(amounts, fc.array(amounts), (amount, asked) => {
        const parts = distribute(
          amount,
          asked.map((asks, at) => ({ at, amount: asks })),
        )
        const given = parts.reduce((sum, part) => sum + part.amount, 0)
        const wanted = asked.reduce((sum, asks) => sum + asks, 0)
        const isFull = parts.slice(0, -1).every(({ at, amount }) => amount === asked[at])
        const inOrder = parts.every(({ at }, index) => index === 0 || at > (parts[index - 1]?.at ?? at))
        const within = parts.every(({ at, amount }) => amount > 0 && amount <= (asked[at] ?? 0))
        return given === Math.min(amount, wanted) && isFull && inOrder && within
      }),
    )
    t.end()
  },
)
