import t from 'tap'
import type { SheetRow } from '../../src/database/schema/imports.ts'
import { innAndKpp } from '../../src/modules/companies/inn-and-kpp.ts'
import { fullNameColumn } from '../../src/modules/users/full-name.ts'
import { findLayout } from '../../src/records/import/layout.ts'
import { skippedRows } from '../../src/records/import/skipped-rows.ts'

type Lines = string[][]

const known = ['Article', 'Name', 'Price A', 'Price B']

const match = (headers: (string | null)[]) => headers.map((header) => (header && known.includes(header) ? header : null))

async function* pieces(lines: Lines, spans: SheetRow['spans'][] = []): AsyncGenerator<SheetRow[]> {
  // Rows without content are not read.
  for (const [at, cells] of lines.entries()) if (cells.some(Boolean)) yield [{ row: at + 1, cells, spans: spans[at] }]
}

const layoutOf = (lines: Lines, { chosen, spans }: { chosen?: number; spans?: SheetRow['spans'][] } = {}) =>
  findLayout(pieces(lines, spans), match, chosen)

const headingOf = async (lines: Lines, more = {}) => (await layoutOf(lines, more)).heading_first

const row = ['1', '2', '3', '4']

t.test('the row with the headings is found', async (t) => {
  t.equal(await headingOf([['Price list'], [], ['Article', 'x', 'Name'], row]), 3, 'two known names')
  t.equal(await headingOf([['Article', 'x', 'y', 'z'], ['Article', 'Name'], row]), 2, 'before one with a single known name')
  t.equal(await headingOf([['Name'], ['v', 'Name', 'y', 'z'], row]), 2, 'one known name, but not alone above a wide table')
  t.equal(await headingOf([['t', 'u', 'v'], ['Name', 'x'], row]), 2, 'where it fills half of the table')
  t.equal(await headingOf([['Title'], ['a', 'b'], ['c', 'd']]), 2, 'no known name: one that a row of its shape follows')
  t.equal(await headingOf([['a', 'b'], ['Title'], ['c', 'd'], ['e', 'f']]), 3, 'and not a row before a title')
  t.equal(await headingOf([['Title'], ['x']]), 1, 'else the first one')
  t.equal(await headingOf([['Article', 'Name'], ['x', 'y'], row], { chosen: 2 }), 2)
  for (const chosen of [4, 0, Number.NaN]) await t.rejects(layoutOf([['Article', 'Name'], row], { chosen }), { message: 'Invalid value' })
  await t.rejects(layoutOf([['Article', 'Name']]), {
    message: 'This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.',
  })
  await t.rejects(layoutOf([['a'], ['Article', 'Name']]), {
    message: 'This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.',
  })
})

t.test('a heading of two lines divides what stands over several columns', async (t) => {
  const headers = async (lines: Lines, more = {}) => {
    const layout = await layoutOf(lines, more)
    return [layout.heading_last, layout.row_count, ...layout.headers]
  }
  t.same(await headers([['Article', 'Price', ''], ['', 'A', 'B'], row]), [2, 1, 'Article', 'Price A', 'Price B', ''])
  t.same(await headers([['Article', 'Price', ''], ['', 'A', '100'], row]), [1, 2, 'Article', 'Price', '', ''], 'a number is no heading')
  t.same(
    await headers([['Article', 'Price', ''], ['x', 'A', 'B'], row]),
    [1, 2, 'Article', 'Price', '', ''],
    'nor is a row that says the first',
  )
  t.same(
    await headers([['Article', 'Price', 'Name'], ['', 'A', ''], row]),
    [1, 2, 'Article', 'Price', 'Name', ''],
    'nor one that divides nothing',
  )
  t.same(
    await headers([
      ['', 'Article', 'Name'],
      ['x', '', ''],
      ['', '1', '2'],
    ]),
    [1, 2, '', 'Article', 'Name'],
    'nor what stands before',
  )
  t.same(
    await headers([
      ['note', '', ''],
      ['', 'Article', 'Name'],
      ['', '1', '2'],
    ]),
    [2, 1, null, 'Article', 'Name'],
    'a column of nothing below',
  )
  const spans = [{ 0: [1, 2], 1: [2, 1] }] as SheetRow['spans'][]
  t.same(
    await headers([['Article', 'Price', ''], ['', 'A', '100'], row], { spans }),
    [2, 1, 'Article', 'Price A', 'Price 100', ''],
    'what is merged says where headings end',
  )
  t.same(
    await headers(
      [
        ['Article', 'Price', ''],
        ['x', '', '5'],
        ['y', '', '6'],
      ],
      { spans: [{ 1: [2, 1] }] },
    ),
    [1, 2, 'Article', null, 'Price'],
    'values in the last of merged columns',
  )
  t.same(await headers([['Article', 'Price', ''], ['x', '4', '5'], row], { spans: [{ 1: [2, 1] }] }), [
    1,
    2,
    'Article',
    'Price',
    'Price',
    '',
  ])
  t.same(await headers([['Article', 'Price', ''], ['', 'A', 'B'], row], { spans: [{ 1: [2, 1] }] }), [
    2,
    1,
    'Article',
    'Price A',
    'Price B',
    '',
  ])
  const three = [['Article', 'Price', ''], ['', 'A', 'B'], ['', 'x', 'y'], row]
  t.same(await headers(three, { spans: [{ 0: [1, 3], 1: [2, 1] }] }), [3, 1, 'Article', 'Price A x', 'Price B y', ''], 'three lines')
  const deep = Array.from({ length: 9 }, (_, at) => ['', `n${at}`])
  t.same(await headers([['Article', 'x'], ...deep], { spans: [{ 0: [1, 9] }] }), [5, 5, 'Article', 'x n0 n1 n2 n3'], 'at most five lines')
})

t.test('totals, repeated headings, numbers of columns and groups are no records', (t) => {
  const headers = ['Article', 'Name', null, 'Price']
  const reason = (cells: string[], { row = 9, groups = 'category_id', of = headers as (string | null)[] } = {}) =>
    skippedRows({ keys: [], groups }, { headers: of, heading_last: 3 })({ row, cells })
  for (const cell of ['Итого', 'ВСЕГО:', 'Итого по разделу Окна', 'Total', 'Grand total', 'total for windows :'])
    t.equal(reason([cell, '', '', '12 345,50 руб.']), 'Total', cell)
  t.equal(reason(['', '', '', 'Итого', '7']), 'Total')
  for (const cell of ['Итоговая планка', 'Total window', 'Всегосторонний']) t.equal(reason([cell, '', '', '7']), undefined, cell)
  t.equal(reason(['Итого', 'Компания', '', '7']), undefined, 'a name of something')
  t.equal(reason(['Article', 'Name']), 'Repeated headings')
  t.equal(reason(['', 'Name', '', 'Price']), 'Repeated headings')
  t.equal(reason(['Article', 'Nobody']), undefined)
  t.equal(reason(['Article'], { groups: '' }), undefined, 'a single word may be a value')
  for (const row of [4, 5]) t.equal(reason(['1', '2', '', '3'], { row }), 'Numbers of columns')
  t.equal(reason(['1', '2', '', '3'], { row: 6 }), undefined, 'only just below the headings')
  t.equal(reason(['1', '2'], { row: 4 }), undefined, 'two numbers may be values')
  t.equal(reason(['1', '2', '', '4'], { row: 4 }), undefined)
  t.equal(reason(['', 'Windows']), 'Group of rows')
  t.equal(reason(['Windows', 'x']), undefined)
  t.equal(reason(['12 5']), undefined, 'a number names no group')
  t.equal(reason(['A-1']), undefined, 'nor does a single letter')
  t.equal(reason(['Windows'], { of: ['Article', null, 'Name'] }), undefined, 'a sheet of two columns has none')
  t.equal(reason(['Windows'], { groups: '' }), undefined, 'nor has a list without them')
  t.end()
})

const sheet = { prices_from: null }

t.test('one cell says INN and KPP, or a full name', (t) => {
  for (const [cell, ...parts] of [
    ['7701234567/770101001', '7701234567', '770101001'],
    ['7701234567 / 770101001', '7701234567', '770101001'],
    ['7701234567 770101001', '7701234567', '770101001'],
    ['7701234567\\770101001', '7701234567', '770101001'],
    ['770123456789', '770123456789'],
    ['770123456789/', '770123456789'],
  ] as const)
    t.same(innAndKpp.split(cell, sheet), [...parts], cell)
  for (const [cell, ...parts] of [
    ['Петров Пётр Петрович', 'Петров', 'Пётр', 'Петрович'],
    ['Сидорова   Анна', 'Сидорова', 'Анна', ''],
    ['Алиев Вагиф Рашид оглы', 'Алиев', 'Вагиф', 'Рашид оглы'],
  ] as const)
    t.same(fullNameColumn.split(cell, sheet), [...parts], cell)
  t.end()
})
