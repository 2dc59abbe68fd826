import t from 'tap'

const { readDate, showDate } = (await import(new URL('../../static/js/typed-date.js', import.meta.url).href)) as {
  readDate: (text: string, hasTime: boolean) => string | undefined
  showDate: (date: string) => string
}

t.test('a day is understood however people write it', async (t) => {
  for (const typed of [
    '01.02.2026',
    '1.2.2026',
    ' 1.2.26 ',
    '01022026',
    '010226',
    '1/2/2026',
    '1-2-2026',
    '1 2 2026',
    '1. 2. 2026',
    '2026-02-01',
    '2026-2-1',
  ])
    t.equal(readDate(typed, false), '2026-02-01', typed)
  t.equal(readDate('29.02.2028', false), '2028-02-29', 'in a leap year')
  t.equal(readDate('31.12.1999', false), '1999-12-31', 'in another century')
  t.equal(readDate('1.1.1000', false), '1000-01-01', 'the first that has four digits of a year')
})

t.test('what is no day is none', async (t) => {
  const noDays = [
    '',
    '31.02.2026',
    '29.02.2026',
    '1.13.2026',
    '0.1.2026',
    '1.2',
    '1.2.202',
    '1.2.20261',
    '0102202',
    '010220261',
    'tomorrow',
    '1.2.2026 x',
    '1.2.2026 10:00',
    '0999-01-01',
    '2026',
  ]
  for (const typed of noDays) t.equal(readDate(typed, false), undefined, typed)
})

t.test('a moment is a day and a time, or its midnight', async (t) => {
  for (const typed of ['1.2.2026 9:05', '01.02.2026, 09:05', '01022026 9.05', '2026-02-01T09:05', '2026-02-01T09:05:30'])
    t.equal(readDate(typed, true), '2026-02-01T09:05', typed)
  t.equal(readDate('1.2.2026', true), '2026-02-01T00:00')
  t.equal(readDate('1.2.2026 23:59', true), '2026-02-01T23:59', 'the last of the day')
  for (const typed of ['1.2.2026 24:00', '1.2.2026 10:60', '1.2.2026 10', '1.2.2026 10:5', '1.2.20269:05'])
    t.equal(readDate(typed, true), undefined, typed)
})

t.test('dates are shown as pages show them', async (t) => {
  t.equal(showDate('2026-02-01'), '01.02.2026')
  t.equal(showDate('2026-02-01T09:05'), '01.02.2026 09:05')
})
