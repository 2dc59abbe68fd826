import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import t from 'tap'
import { companies } from '../../src/database/schema/index.ts'
import { csvForms, formatLine, withoutProtection } from '../../src/records/spreadsheet/csv.ts'
import { startCabinet } from '../support/cabinet.ts'
import { submitForm } from '../support/files.ts'
import { tagsOf } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'

const separators = [',', ';', '\t']
const languages = ['en', 'ru'] as const

/** The cells as each reader finds them: one that knows quotation marks only around a cell, and one that lets a cell go on after them. */
function cellsFor(separator: string, csv: string): string[] {
  return [
    ...parse(csv, { delimiter: separator, relax_quotes: true, relax_column_count: true, bom: true }).flat(),
    ...lenientCells(separator, csv),
  ]
}

/** As Python and spreadsheet programs read: quotation marks count at the beginning of a cell, and what follows the last one belongs to it. */
function lenientCells(separator: string, csv: string): string[] {
  const cells: string[] = []
  let cell = ''
  let state: 'start' | 'plain' | 'quoted' | 'after' = 'start'
  const end = () => {
    cells.push(cell)
    cell = ''
    state = 'start'
  }
  for (const letter of csv) {
    if (state === 'quoted') {
      if (letter === '"') state = 'after'
      else cell += letter
    } else if (state === 'start' && letter === '"') state = 'quoted'
    else if (state === 'after' && letter === '"') {
      cell += letter
      state = 'quoted'
    } else if (letter === separator || letter === '\n' || letter === '\r') end()
    else {
      cell += letter
      state = 'plain'
    }
  }
  end()
  return cells
}

const isHarmless = (cell: string) => !/^[=+\-@＝＋－＠\t\r]/.test(cell) || /^[+-]\d[\d\s().,%-]*$/.test(cell)

const vectors = [
  '-2+3+cmd|" /C calc"!A0',
  '+1+cmd|" /C calc"!A0',
  '+ HYPERLINK("http://evil.example";"x")',
  "x;=cmd|' /C calc'!A0",
  'x;"=1+1',
  'x;""=1+1',
  'x\t=1+1',
  'x\r\n=1+1',
  'x\n- item',
  '"=1+1',
  '\t=1+1',
  '=1+1',
  '@SUM(A1)',
  ' =1+1',
  'x;',
  'x;"',
  "'=1",
  "x;'=1",
  '＝1+1',
  ' ＋1+1',
  'x;－1+1',
  "'＠SUM(A1)",
]
const ordinary = [
  '-5',
  '+7 900',
  '+7(900) 111-22-33',
  '-1 234,50',
  '+44 20 7946 0958',
  'a "quoted", name\nin two lines',
  'Doors: 10; Windows: 5',
  '—',
]

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom(...'=+-@＝＋－＠\t\r\n;,"\' 1a|(') }),
  fc.constantFrom(...vectors, ...ordinary),
)
/** Every export begins its lines with an id or the number of a row. */
const anyLine = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0 }), fc.constantFrom(...vectors, ...ordinary)),
    fc.array(fc.oneof(anyText, fc.integer({ min: 0 }), fc.constant(null)), { minLength: 1, maxLength: 5 }),
  )
  .map(([first, others]) => [first, ...others])

t.test('no reader of commas, semicolons or tabs finds a cell that begins like a formula, whatever the texts are', async (t) => {
  const found: string[] = []
  fc.assert(
    fc.property(fc.array(anyLine, { minLength: 1, maxLength: 4 }), (rows) => {
      const files = languages.map((language) => rows.map((row) => formatLine(row, language)).join(''))
      return files.every((csv) =>
        separators.every((separator) => {
          const bad = cellsFor(separator, csv).filter((cell) => !isHarmless(cell))
          found.push(...bad)
          return bad.length === 0
        }),
      )
    }),
    { numRuns: 5000 },
  )
  t.same(found, [])
  for (const text of [...vectors, ...ordinary])
    for (const row of [
      [text, 'x'],
      [7, text],
      [7, text, 'x'],
      ['x', text, '=1'],
    ])
      for (const separator of separators)
        for (const language of languages)
          t.ok(
            cellsFor(separator, formatLine(row, language)).every(isHarmless),
            `${JSON.stringify(row)} in ${language} for ${JSON.stringify(separator)}`,
          )
})

t.test('every text comes back as it was', async (t) => {
  fc.assert(
    fc.property(anyLine, fc.constantFrom(...languages), (row, language) => {
      const { separator } = csvForms[language]
      const [cells] = parse(formatLine(['x', ...row], language), { record_delimiter: '\r\n', delimiter: separator }) as string[][]
      const back = cells?.slice(1).map((cell) => withoutProtection(cell, separator))
      return JSON.stringify(back) === JSON.stringify(row.map((cell) => String(cell ?? '')))
    }),
    { numRuns: 5000 },
  )
  t.equal(formatLine([7.5, 'a;b', 'a\tb', 'a b'], 'en'), '7.5,"a;b","a\tb",a b\r\n')
  t.equal(formatLine([7.5, 'a;b', 'a, b', 'a b'], 'ru'), '"7,5";"a;b";"a, b";a b\r\n')
  for (const text of ordinary) {
    for (const language of languages)
      t.same(
        parse(formatLine([7, text], language), { delimiter: csvForms[language].separator }),
        [['7', text]],
        `${text} is written as it is`,
      )
  }
})

t.test('every list, exported, has no cell that begins like a formula, and companies imported again are unchanged', async (t) => {
  exportInProcess(t)
  const { app, as, db } = await startCabinet(t)
  const names = new Set(vectors.map((text) => text.trim()).filter((text) => !/[\r\n\t]/.test(text)))
  for (const org of names) db.insert(companies).values({ org, phone: '+7 900 111-22-33' }).run()
  const root = await as('root')
  const lists = app.routeTable.filter(({ method, url }) => method === 'GET' && url.endsWith('/export')).map(({ url }) => url)
  t.ok(lists.length >= 15)
  for (const language of languages)
    for (const url of [...lists, '/companies/import/template']) {
      const { body } = await root.get(`${url}?format=csv`, { 'accept-language': language })
      for (const separator of separators)
        t.same(
          cellsFor(separator, body).filter((cell) => !isHarmless(cell)),
          [],
          `${url} in ${language} for ${JSON.stringify(separator)}`,
        )
    }
  for (const language of languages) {
    const { separator } = csvForms[language]
    const template = await root.get('/companies/import/template?format=csv', { 'accept-language': language })
    t.match(template.body, `${separator}+7 900 111-22-33${separator}`, 'a phone number is left alone')
    const sent = await submitForm(root, '/companies/import', [['file', new File([template.rawPayload], 'companies.csv')]])
    const page = await root.get(String(sent.headers.location))
    const outcomes = tagsOf(page.body, 'tr').flatMap((row) => row['data-outcome'] ?? [])
    t.ok(outcomes.length > names.size)
    t.same([...new Set(outcomes)], ['unchanged'])
  }
})
