import t from 'tap'
import { parseKopecks } from '../../src/i18n/format.ts'
import { externalId } from '../../src/records/fields/external-id.ts'
import { date, decimal, type Field, kindOf, money, number, paragraph, phone, text, toggle } from '../../src/records/fields/index.ts'
import { readCell } from '../../src/records/import/columns.ts'
import { skippedRows } from '../../src/records/import/skipped-rows.ts'

const price = money('Price', {})
const area = decimal('Area', { least: 0, most: 100_000 })
const pieces = number('Pieces', { least: 0, most: 1_000_000 })
const day = date('From')
const sold = toggle('Sold')
const inn = text('INN')

const readings: [name: string, field: Field, value: unknown, cells: string[]][] = [
  [
    'an amount',
    price,
    123_450,
    ['1 234,50 руб.', '1 234,5 р.', '1 234,50 РУБ', '1234.50 rub', '1234,50 RUR', '1 234,50 ₽', '1234,50₽', "1'234,50", '1’234,50'],
  ],
  ['an amount that was computed', price, 123_450, ['1234.5000000000002', '1234.4999999999998']],
  ['an amount in whole rubles', price, 890_000, ['8 900', '8900,00', '8 900р', '8900 рублей']],
  ['a size', area, 230, ['2,30', '2.3 м', '2,3 м2', '2,3м²', '2,3 кв.м', '2,3 кв. м', '2,3 кв.м.', '2.3 m2', '2,30 %']],
  ['a number', pieces, 1250, ['1250', '1 250', '1 250 шт.', '1250шт', '1250,00', '1250.0', '1250 pcs', '1250 мм', '1250 mm', '1250 дней']],
  [
    'a day',
    day,
    '2026-03-05',
    [
      ...[
        '2026-03-05',
        '2026-03-05 00:00:00',
        '2026-03-05T00:00:00',
        '05.03.2026',
        '5.3.2026',
        '05.03.26',
        '05/03/2026',
        '05.03.2026 10:30',
      ],
      ...['05.03.2026 г.', '05.03.2026г', '05.03.2026 года', '5 марта 2026', '«5» марта 2026 г.', '"05" МАРТА 2026'],
    ],
  ],
  ['a day of May', day, '2026-05-31', ['31 мая 2026', '31 май 2026']],
  ['yes', sold, true, ['Yes', 'да', 'Да', 'ДА', '+', '1', 'true', 'y', 'v', '✓', '✔']],
  ['no', sold, false, ['No', 'нет', 'НЕТ', '-', '−', '–', '—', '0', 'false', 'n']],
  ['a tax number', inn, '7701234567', ['7701234567', '7701234567.0', '7701234567,00', '7.701234567E+9', '7,701234567e9']],
]

for (const [name, field, value, cells] of readings)
  t.test(`${name} is read from a cell however it is written`, async (t) => {
    for (const cell of cells) t.equal(readCell(field, cell), value, cell)
  })

t.test('what may be something else is refused, or stays as it is', async (t) => {
  const refused: [Field, string[]][] = [
    [
      price,
      [
        '1 234,505',
        'от 100',
        '100 руб. за м2',
        '100 usd',
        '$100',
        '100€',
        '100 евро',
        '100 m',
        '100 у.е.',
        '100 т.р.',
        '100 тыс. р',
        '1₽2₽',
        '100 руб 50 руб',
        '₽100 $',
        '-100',
      ],
    ],
    [area, ['2,305', '2 x 3', 'м2', '2,3 кг']],
    [pieces, ['1.000', '1,000 pcs', '12,5', '12 коробок', 'шт.']],
    [day, ['31.02.2026', '05.2026', '5 мартобря 2026', '46086', 'завтра']],
    [sold, ['может быть', '2', '++']],
    [inn, ['7.7E+9']],
  ]
  for (const [field, cells] of refused) for (const cell of cells) t.throws(() => readCell(field, cell), Error, `${field.label}: ${cell}`)
  t.equal(readCell(inn, '12.0'), '12.0', 'a version')
  t.equal(readCell(inn, '1.25E+1'), '1.25E+1', 'no whole number')
  t.equal(readCell(paragraph('Comment', { max: 100 }), '1 250,00 руб.'), '1 250,00 руб.')
  t.equal(readCell(phone('Phone'), '+7 961 513-82-08'), '+7 961 513-82-08', 'as in forms')
})

t.test('amounts are those of the currency of the installation, whichever that is', async (t) => {
  const reading = { find: () => ({ id: 0, name: '' }), currency: 'тг.' }
  for (const cell of ['100 тг', '100 ТГ.', '100', '100тг']) t.equal(readCell(price, cell, reading), 10_000, cell)
  for (const cell of ['100 руб.', '100 ₽', '₽ 100', '100 тгк'])
    t.throws(() => readCell(price, cell, reading), { message: 'Enter an amount in {currency}.' }, cell)
  t.equal(readCell(price, '$ 100', { ...reading, currency: '$' }), 10_000)
})

t.test('nothing that is very long is searched for long, in cells, forms and headings', async (t) => {
  const blanks = ' '.repeat(1_000_000)
  for (const field of [price, area, pieces, day, sold])
    for (const text of [`1${blanks}!`, `$${blanks}1${blanks}!`, `1${blanks}USD`]) {
      t.throws(() => readCell(field, text), Error, field.label)
      t.throws(() => kindOf(field).parse(text, field), Error, field.label)
    }
  for (const field of [inn, phone('Phone'), externalId]) t.throws(() => readCell(field, `1${blanks}!`), Error, field.label)
  t.equal(readCell(inn, `1${blanks}\n${blanks}2`), '1 2')
  t.equal(parseKopecks(`1${blanks}!`), undefined)
  t.equal(skippedRows({ keys: [] }, { headers: [], heading_last: 1 })({ row: 9, cells: [`Всего${blanks}x`] }), undefined)
})
