import fc from 'fast-check'
import t from 'tap'
import { mergeRows, mergeValues } from '../../src/core/merge.ts'

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

const row = fc.record({
  id: fc.integer({ min: 1, max: 4 }),
  category_id: fc.integer({ min: 1, max: 3 }),
  discount: fc.integer({ min: 0, max: 2 }),
})
const rows = fc.uniqueArray(row, { selector: (one) => one.id, maxLength: 4 })

t.test('merging repeater rows never loses a row or value without a conflict', async () => {
  fc.assert(
    fc.property(rows, rows, rows, (base, mine, theirs) => {
      const merged = mergeRows(base, mine, theirs, 'id')
      if (merged.conflict) return true
      const find = (list: { id?: unknown }[], id: number) => list.find((one) => one.id === id) as Record<string, unknown> | undefined
      return [1, 2, 3, 4].every((id) => {
        const [before, my, their, now] = [find(base, id), find(mine, id), find(theirs, id), find(merged.rows, id)]
        if (!before) return same(now, my ?? their)
        if (!my || !their) return now === undefined
        return ['category_id', 'discount'].every((name) => same(now?.[name], same(my[name], before[name]) ? their[name] : my[name]))
      })
    }),
    { numRuns: 5000 },
  )
})

t.test('a single editor always gets exactly what they sent', async () => {
  fc.assert(
    fc.property(rows, rows, (base, mine) => {
      const merged = mergeRows(base, mine, base, 'id')
      return !merged.conflict && same(merged.rows, mine)
    }),
  )
})

t.test('a row deleted by one editor and changed by the other is a conflict', async (t) => {
  const base = [{ id: 1, discount: 5 }]
  t.equal(mergeRows(base, [], [{ id: 1, discount: 7 }], 'id').conflict, true)
  t.equal(mergeRows(base, [{ id: 1, discount: 7 }], [], 'id').conflict, true)
  t.equal(mergeRows(base, [], base, 'id').conflict, false)
  t.same(mergeRows(base, base, [], 'id'), { rows: [], conflict: false }, 'one that I left as it was stays deleted')
})

t.test('rows added by two editors are both kept', async (t) => {
  const merged = mergeRows([], [{ category_id: 1, discount: 5 }], [{ id: 9, category_id: 2, discount: 3 }], 'id')
  t.same(merged.rows, [
    { category_id: 1, discount: 5 },
    { id: 9, category_id: 2, discount: 3 },
  ])
  t.notOk(merged.conflict)
})

t.test('rows that others changed beside mine are told of, and those of both are saved', async (t) => {
  const [first, second] = [
    { id: 1, discount: 5 },
    { id: 2, discount: 5 },
  ]
  const [mine, theirs] = [
    [{ ...first, discount: 7 }, second],
    [first, { ...second, discount: 9 }],
  ]
  t.same(mergeValues({ rows: [first, second] }, { rows: mine }, { rows: theirs }, { rows: 'id' }), {
    values: {
      rows: [
        { id: 1, discount: 7 },
        { id: 2, discount: 9 },
      ],
    },
    conflicts: [],
    othersFields: ['rows'],
  })
})
