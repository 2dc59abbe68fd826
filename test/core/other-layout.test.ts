import t from 'tap'
import { inOtherLayout } from '../../src/core/other-layout.ts'

t.test('what was typed with the other layout of the keyboard is read by the keys that were pressed', async (t) => {
  t.equal(inOtherLayout('зфньутеы'), 'payments')
  t.equal(inOtherLayout('Gkfnt;b'), 'платежи')
  t.equal(inOtherLayout('488 ыутв'), '488 send')
  t.equal(inOtherLayout('№ 12'), '№ 12')
})
