import fc from 'fast-check'
import t from 'tap'
import { mergeValues } from '../../src/core/merge.ts'

const names = ['org', 'inn', 'discount', 'phone']
const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 3 }), fc.constantFrom('a', 'b'))
const record = fc.record(Object.fromEntries(names.map((name) => [name, value])))
const edit = fc.dictionary(fc.constantFrom(...names), value)
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

t.test('two editors of a record: different fields are merged, conflicts are reported, nothing is lost', async () => {
  fc.assert(
    fc.property(record, edit, edit, (base, myEdit, theirEdit) => {
      const mine = { ...base, ...myEdit }
      const theirs = { ...base, ...theirEdit }
      const { values, conflicts, othersFields } = mergeValues(base, mine, theirs)
      const result: Record<string, unknown> = { ...theirs, ...values }
      return names.every((name) => {
        const iChanged = !same(mine[name], base[name])
        const theyChanged = !same(theirs[name], base[name])
        const clash = iChanged && theyChanged && !same(mine[name], theirs[name])
        const expected = iChanged ? mine[name] : theirs[name]
        const told = theyChanged && !iChanged ? othersFields.includes(name) : true
        return same(result[name], expected) && conflicts.includes(name) === clash && told
      })
    }),
    { numRuns: 2000 },
  )
})

t.test('a field that was not sent keeps the value that others saved', async (t) => {
  t.same(mergeValues({ a: 1, b: 1 }, { a: 2 }, { a: 1, b: 5 }), { values: { a: 2 }, conflicts: [], othersFields: ['b'] })
})

const row = fc.record({ id: fc.integer({ min: 1, max: 4 }), discount: fc.integer({ min: 0, max: 2 }) })
const rows = fc.uniqueArray(row, { selector: (one) => one.id, maxLength: 4 })

t.test('rows of one list that two people changed differently are a conflict, and a single editor gets exactly what they sent', async () => {
  fc.assert(
    fc.property(rows, rows, rows, (base, mine, theirs) => {
      const { values, conflicts, othersFields } = mergeValues({ rows: base }, { rows: mine }, { rows: theirs })
      if (same(mine, base)) return conflicts.length === 0 && !values.rows && othersFields.length === (same(theirs, base) ? 0 : 1)
      if (same(mine, theirs)) return conflicts.length === 0
      return same(values.rows, mine) && conflicts.length === (same(theirs, base) ? 0 : 1)
    }),
    { numRuns: 2000 },
  )
})
