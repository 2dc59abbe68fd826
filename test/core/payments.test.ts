import t from 'tap'
import { dueSinceEntering } from '../../src/core/payments.ts'

t.test('an order is due from the day on which it first enters a status that makes it due, until one that ends it', (t) => {
  t.equal(dueSinceEntering('starts', null, '2026-03-02'), '2026-03-02')
  t.equal(dueSinceEntering('starts', '2026-03-01', '2026-03-02'), '2026-03-01', 'a second one begins nothing anew')
  t.equal(dueSinceEntering(null, '2026-03-01', '2026-03-02'), '2026-03-01')
  t.equal(dueSinceEntering(null, null, '2026-03-02'), null)
  t.equal(dueSinceEntering('ends', '2026-03-01', '2026-03-02'), null)
  t.end()
})
