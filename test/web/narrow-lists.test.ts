import t from 'tap'
import type { ListState } from '../../src/records/list/list.ts'
import { narrowest, viewOfNarrow } from '../../src/records/list/narrow.ts'

const usual = { sort: 'id', dir: 'desc', size: 25, cols: [], filters: {} } as const
const state: ListState = { ...usual, cols: [], q: '', page: 1, usual: { ...usual, cols: [] } }

const orders = [
  { key: 'id', kind: 'identifier' },
  { key: 'specification_number', kind: 'identifier', spare: true },
  { key: 'company', kind: 'name' },
  { key: 'dealer', kind: 'person' },
  { key: 'status', kind: 'status' },
  { key: 'cost', kind: 'money' },
  { key: 'created_at', kind: 'moment' },
] as const

type Columns = Parameters<typeof narrowest>[0]

const narrowOf = (columns: Columns, changes: Partial<ListState> = {}, picks = true, empty: string[] = []) => [
  ...narrowest(columns, picks, { ...state, ...changes }, new Set(empty)),
]

t.test('a spare column gives way to the usual values of others, then persons and moments to what can be read', async (t) => {
  t.same(narrowOf(orders), [
    ['specification_number', 72],
    ['dealer', 56],
  ])
  const longer = [...orders, { key: 'date', kind: 'date' }] as const
  t.same(narrowOf(longer), [
    ['specification_number', 72],
    ['dealer', 66],
    ['created_at', 52],
  ])
  t.same(narrowOf(longer, {}, false).at(-1), ['created_at', 48], 'without boxes to tick there is more room')
  t.same(narrowOf(longer.toReversed()), narrowOf(longer), 'wherever they stand')
  t.same(narrowOf([...orders, ...orders].slice(0, 4)), [], 'nothing where all have room on a tablet')
})

t.test('what somebody chose or the list is sorted by stays, as it usually is, too, and so does what leads to the card', async (t) => {
  t.same(narrowOf(orders, { cols: ['specification_number'] }), [
    ['dealer', 60],
    ['created_at', 52],
  ])
  t.same(narrowOf(orders, { sort: 'created_at', dir: 'asc', cols: ['specification_number'] }), [['dealer', 60]])
  const ofDealers = [...orders.filter(({ key }) => key !== 'dealer'), { key: 'date_make', kind: 'date' }] as const
  const byCreation = { sort: 'created_at', usual: { ...state.usual, sort: 'created_at' } }
  t.same(narrowOf(ofDealers, byCreation), [
    ['specification_number', 60],
    ['date_make', 52],
  ])
  t.same(narrowOf(orders, { sort: 'dealer', dir: 'asc' }), [
    ['specification_number', 72],
    ['created_at', 56],
  ])
  const cards = orders.map((column) => (column.key === 'dealer' ? { ...column, opens: true as const } : column))
  t.same(narrowOf(cards), [
    ['specification_number', 72],
    ['created_at', 56],
  ])
})

t.test('what no row has a value of gives way before all others, then what is spare, the last first', async (t) => {
  const sums = ['first', 'second', 'third'].map((key) => ({ key, kind: 'money', spare: true }) as const)
  const many = [...orders, ...sums]
  const given = narrowOf(many, {}, true, ['id', 'second', 'company']).map(([key]) => key)
  t.same(given, ['company', 'second', 'third', 'first', 'specification_number'], 'but for what the list is sorted by')
})

t.test('a column in which all rows say the same gives way before spare ones; a status never does', async (t) => {
  t.same(narrowOf(orders, { filters: { company: '1', status: '2' } }), [
    ['company', 72],
    ['specification_number', 52],
  ])
})

t.test('a table with more columns than any width has room for leaves some out below the widest', async (t) => {
  const sums = Array.from({ length: 12 }, (_, number) => ({ key: `sum${number}`, kind: 'money' }) as const)
  t.same(narrowOf([...orders, ...sums])[0], ['specification_number', 96])
})

t.test('the table names its columns by place, after the boxes', async (t) => {
  const narrow = new Map([
    ['specification_number', 72],
    ['dealer', 56],
  ])
  t.equal(viewOfNarrow(orders, true, narrow), '3-72 5-56')
  t.equal(viewOfNarrow(orders, false, narrow), '2-72 4-56')
})
