import t from 'tap'
import { specificationNumber } from '../../src/core/specification-number.ts'

type Numbering = Parameters<typeof specificationNumber>[0]

const numbering = (over: Partial<Numbering> = {}): Numbering => ({ start: null, orders: 0, highest: null, ...over })

t.test('as specified, a specification number is the start plus the existing orders plus one', async (t) => {
  t.equal(specificationNumber(numbering(), true), 1, 'the first of a company without a start')
  t.equal(specificationNumber(numbering({ start: 100 }), true), 101)
  t.equal(specificationNumber(numbering({ start: 100, orders: 7 }), true), 108)
  t.equal(specificationNumber(numbering({ orders: 2, highest: 9 }), true), 3, 'whatever numbers were given before')
})

t.test('under strict rules, a specification number is above every earlier one and never below the start', async (t) => {
  t.equal(specificationNumber(numbering(), false), 1)
  t.equal(specificationNumber(numbering({ start: 100 }), false), 100, 'the first number is the start itself')
  t.equal(specificationNumber(numbering({ start: 100, orders: 1, highest: 100 }), false), 101)
  t.equal(specificationNumber(numbering({ start: 100, orders: 0, highest: 140 }), false), 141, 'also after deletions')
  t.equal(specificationNumber(numbering({ start: 200, orders: 3, highest: 140 }), false), 200, 'a start that was raised')
})
