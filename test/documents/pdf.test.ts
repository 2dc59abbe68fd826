import { join } from 'node:path'
import sharp from 'sharp'
import t from 'tap'
import type { Document } from '../../src/documents/document.ts'
import { makeLongPdf, makePdf } from '../../src/documents/make-pdf.ts'
import { readPdf } from '../support/read-pdf.ts'
import { temporaryFolder } from '../support/service.ts'

const document: Document = {
  language: 'ru',
  title: 'Счёт № 12',
  parties: [{ role: 'Поставщик', name: 'ООО «Окна»', details: [{ label: 'ИНН', value: '7707083893' }] }],
  columns: [{ label: '№' }, { label: 'Товар' }, { label: 'Сумма', kind: 'number' }],
  rows: [{ cells: ['1', 'Окно\nправое', '1 000,00 ₽'] }],
  totals: [{ label: 'Итого', value: '1 000,00 ₽', strong: true }],
  signatures: [{ role: 'Руководитель', name: 'Иванов И. И.' }, { role: 'Бухгалтер' }],
}

t.test('each document begins on a page of its own', async (t) => {
  const pdf = readPdf(t, await makePdf([document, { ...document, title: 'Счёт № 13' }]))
  t.equal(pdf.pages, 2)
  t.match(pdf.text, /Счёт № 12.*Счёт № 13/)
  t.match(pdf.info, /Счёт № 12/)
})

t.test('a document that somebody waits for does not wait for many that a job makes', async (t) => {
  const made: string[] = []
  const long = makeLongPdf(Array.from({ length: 60 }, () => document)).then(() => made.push('many'))
  await makePdf([document]).then(() => made.push('one'))
  await long
  t.same(made, ['one', 'many'])
})

t.test('200 lines with long names go on over pages, under the heading of the table', async (t) => {
  const rows = Array.from({ length: 200 }, (_, at) => ({
    cells: [String(at + 1), `${'Оченьдлинноеназвание'.repeat(20)} ${'слово '.repeat(40)}`, '999 999 999 999,00 ₽'],
  }))
  const pdf = readPdf(t, await makePdf([{ ...document, rows }]))
  t.ok(pdf.pages > 10)
  t.ok((pdf.text.match(/№ Товар Сумма/g)?.length ?? 0) >= pdf.pages - 1, 'the heading stands on every page')
  t.match(pdf.text, /\b200 .*999 999 999 999,00 ₽/)
  t.equal(pdf.text.match(/999 999 999 999,00 ₽/g)?.length, 200, 'no amount is cut')
  t.match(pdf.text, `${pdf.pages} / ${pdf.pages}`)
})

t.test('names in any script make a document, and one without lines is a document', async (t) => {
  const names = ['窓 ガラス', 'نافذة', 'חלון', 'หน้าต่าง', '🪟', '\u0000\u0007', '\ud800', 'a\u0301\u200d', '']
  for (const name of names) {
    const pdf = readPdf(t, await makePdf([{ ...document, rows: [{ cells: ['1', name, '1'] }] }]))
    t.match(pdf.text, /Итого/, JSON.stringify(name))
  }
  t.match(readPdf(t, await makePdf([{ ...document, rows: [] }])).text, /Счёт № 12/)
})

t.test('a logo of any shape stays in its place; one that cannot be read is left out', async (t) => {
  const folder = temporaryFolder(t)
  for (const [width, height] of [
    [400, 12_000],
    [12_000, 400],
    [1, 1],
  ] as const) {
    const logo = join(folder, `${width}.png`)
    await sharp({ create: { width, height, channels: 3, background: '#00f' } })
      .png()
      .toFile(logo)
    const pdf = readPdf(t, await makePdf([{ ...document, logo }]))
    t.equal(pdf.pages, 1)
    t.match(pdf.text, /Счёт № 12/)
  }
  t.equal(readPdf(t, await makePdf([{ ...document, logo: join(folder, 'none.png') }])).pages, 1)
})

t.test('what cannot be made says so to who asked for it; others get theirs, before and after', async (t) => {
  const broken = { ...document, parties: null } as unknown as Document
  const numbered = ['1', '2', '3'].map((number) => ({ ...document, title: `Счёт № ${number}` }))
  const made = await Promise.allSettled([numbered[0], broken, numbered[1], broken, numbered[2]].map((one) => makePdf([one as Document])))
  t.strictSame(
    made.map((one) => (one.status === 'fulfilled' ? /Счёт № \d/.exec(readPdf(t, one.value).text)?.[0] : 'failed')),
    ['Счёт № 1', 'failed', 'Счёт № 2', 'failed', 'Счёт № 3'],
  )
})
