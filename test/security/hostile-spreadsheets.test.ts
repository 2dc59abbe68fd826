import { eq } from 'drizzle-orm'
import t from 'tap'
import { importRows, imports, uploads } from '../../src/database/schema/index.ts'
import { dailyLimit } from '../../src/http/uploads/folder.ts'
import { readSpreadsheet } from '../../src/records/spreadsheet/read.ts'
import { type Browser, startCabinet } from '../support/cabinet.ts'
import { submitForm } from '../support/files.ts'
import { headerRow, makeZip, pack, rowsOfOneText, workbookEntries, zeros, zip64Sizes } from '../support/hostile-sheets.ts'
import { parseHtml } from '../support/html.ts'
import { readInProcesses } from '../support/in-process-sheets.ts'
import { temporaryFolder } from '../support/service.ts'

readInProcesses(t)

const upload = (browser: Browser, content: Buffer, name = 'sheet.xlsx') =>
  submitForm(browser, '/companies/import', [['file', new File([content], name)]])

const inOneText = (letters: number) => `<si><t>${'x'.repeat(letters)}</t></si>`
const valid = `${headerRow}<row r="2"><c r="A2" t="inlineStr"><is><t>A company</t></is></c></row>`
/** More than may be unpacked. */
const beside = { name: 'xl/media/a.bin', content: zeros(120) }
const { size } = beside.content

const unreadable = 'This file cannot be read.'
const tooLarge = 'This sheet is too large. Import up to 20 MB of text at a time.'

const hostile: Record<string, [content: () => Buffer, message: string]> = {
  'a text of 5,000 letters in 250,000 cells': [() => makeZip(workbookEntries(rowsOfOneText(2500, 100), inOneText(5000))), tooLarge],
  'a text of 400 letters in 270,000 cells, each within its limits': [
    () => makeZip(workbookEntries(rowsOfOneText(9000, 30), inOneText(400))),
    tooLarge,
  ],
  'shared strings of 60 MB that no cell names': [() => makeZip(workbookEntries(valid, inOneText(4000).repeat(15_000))), tooLarge],
  'an entry of 120 MB that says so': [() => makeZip([...workbookEntries(valid, ''), beside]), tooLarge],
  'an entry of 120 MB that says it has 10 bytes': [
    () => makeZip([...workbookEntries(valid, ''), { ...beside, local: 10, central: 10 }]),
    unreadable,
  ],
  'an entry of 120 MB whose size only zip64 tells': [
    () =>
      makeZip(
        [
          ...workbookEntries(valid, ''),
          {
            ...beside,
            local: 0xffffffff,
            central: 0xffffffff,
            localExtra: zip64Sizes(size),
            centralExtra: zip64Sizes(size),
          },
        ],
        { zip64: true },
      ),
    unreadable,
  ],
  'a directory that only zip64 finds': [() => makeZip(workbookEntries(valid, ''), { zip64: true }), unreadable],
  'a zip64 field beside an ordinary size': [
    () => makeZip([...workbookEntries(valid, ''), { name: 'a', content: 'a', centralExtra: zip64Sizes(1) }]),
    unreadable,
  ],
  'a local header that disagrees with the directory': [
    () => makeZip([...workbookEntries(valid, ''), { name: 'a', content: 'aaa', local: 4 }]),
    unreadable,
  ],
  'content that is shorter than both headers say': [
    () => makeZip([...workbookEntries(valid, ''), { name: 'a', content: 'aaa', local: 4, central: 4 }]),
    unreadable,
  ],
  'two entries of one name': [
    () => makeZip([...workbookEntries(valid, ''), { name: 'xl/workbook.xml', content: 'x' }, { name: 'xl/workbook.xml', content: 'x' }]),
    unreadable,
  ],
  'elements within a million elements': [() => makeZip(workbookEntries(headerRow + '<a>'.repeat(1_000_000), '')), unreadable],
  'entities that expand': [
    () =>
      makeZip(
        workbookEntries(
          pack(
            Buffer.from(
              `<!DOCTYPE a [<!ENTITY b "${'c'.repeat(1000)}">]><worksheet><sheetData><row><c><v>&b;</v></c></row></sheetData></worksheet>`,
            ),
          ),
          '',
        ),
      ),
    unreadable,
  ],
  'an address beyond all columns': [() => makeZip(workbookEntries(`${valid}<row><c r="ZZZZZZ1"><v>1</v></c></row>`, '')), unreadable],
  '201 columns': [
    () => makeZip(workbookEntries(`${valid}<row>${'<c><v>1</v></c>'.repeat(201)}</row>`, '')),
    'Import up to 200 columns at a time.',
  ],
  'a cell of 5,001 letters': [() => Buffer.from(`org\n${'x'.repeat(5001)}`), 'A cell can have up to 5000 characters.'],
  'csv with 21 MB of texts': [() => Buffer.from(`org,inn\n${`${'x'.repeat(4000)},1\n`.repeat(5500)}`), tooLarge],
  'csv of nothing but separators': [
    () => Buffer.from(`org\n${','.repeat(30_000_000)}`),
    'This is no Excel workbook, although it is called one.',
  ],
}

t.test('a hostile spreadsheet is refused at its field with a reason, and nothing of it is saved (422)', async (t) => {
  const { as, db } = await startCabinet(t)
  const admin = await as('admin')
  for (const [name, [make, message]] of Object.entries(hostile)) {
    const answer = await upload(admin, make())
    t.equal(answer.statusCode, 422, name)
    t.match(parseHtml(answer.body)('#file-error').text(), message, name)
  }
  t.same([...db.select().from(imports).all(), ...db.select().from(importRows).all()], [])
  const good = await upload(admin, makeZip(workbookEntries(valid, '')))
  t.equal(good.statusCode, 303, 'the next one is read')
})

t.test('stored rows count toward what somebody may upload within a day (429)', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const admin = await as('admin')
  const sheet = makeZip(workbookEntries(rowsOfOneText(500, 5), inOneText(1000)))
  t.equal((await upload(admin, sheet)).statusCode, 303)
  const { id, size } = db.select().from(imports).get() as { id: number; size: number }
  t.ok(size > 100 * sheet.length, 'far more than the file')
  /** A small file counts so much. */
  const file = 64 * 1024
  const left = (room: number, others = 0) => {
    const stored = db.select().from(uploads).where(eq(uploads.user_id, cast.admin)).all().length * file + others
    db.update(imports)
      .set({ size: dailyLimit - stored - room })
      .where(eq(imports.id, id))
      .run()
  }
  left(file + size)
  t.equal((await upload(admin, sheet)).statusCode, 303, 'exactly as much as is allowed')
  left(file + size - 1, size)
  const refused = await upload(admin, sheet)
  t.match(refused, { statusCode: 429, headers: { 'retry-after': /^\d+$/ } })
  t.match(parseHtml(refused.body)('#file-error').text(), 'You can upload up to 1 GB of files per day.')
  t.equal(db.select().from(imports).all().length, 2)
  t.equal((await upload(await as('root'), sheet)).statusCode, 303, 'of each person')
})

t.test('the process that reads a spreadsheet ends with its request, and when it takes too much memory', async (t) => {
  const folder = temporaryFolder(t)
  const read = (path: string, signal = new AbortController().signal) =>
    readSpreadsheet({ path, folder }, signal, async () => t.fail('nothing is read'))
  const canceled = new AbortController()
  const reading = read('/dev/zero', canceled.signal)
  canceled.abort(new Error('gone'))
  await t.rejects(reading, { message: 'gone' })
  await t.rejects(read('/dev/zero'), { status: 422, message: 'This sheet is too large. Import up to {limit} MB of text at a time.' })
  await t.rejects(read('/dev/null'), {
    status: 422,
    message: 'This is no table: nothing stands below a row of headings. Choose an xlsx or csv file.',
  })
})
