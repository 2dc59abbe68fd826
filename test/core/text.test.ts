import t from 'tap'
import { cityOf } from '../../src/core/city.ts'
import { excerptDifference } from '../../src/core/difference-excerpt.ts'
import {
  firstCharacters,
  fullName,
  hasControlCharacters,
  isLongerThan,
  searchText,
  searchWords,
  stripControlCharacters,
} from '../../src/core/text.ts'

t.test('a search is taken as words without case, each once; numbers keep their sign, phones are their last ten digits', (t) => {
  const searches: [string, string[]][] = [
    ['', []],
    ['  ', []],
    ['Ёлка  ЕЛКА\tёж', ['елка', 'еж']],
    ['# 12 № 7 #5', ['#12', '№7', '#5']],
    ['№ abc', ['№', 'abc']],
    ['+7 (999) 111-22-33', ['9991112233']],
    ['8 999 111 22 33', ['9991112233']],
    ['9 999 111 22 33', ['99991112233']],
    ['999 111 22 33', ['9991112233']],
    ['770123456789', ['770123456789']],
    ['+7(999)1112233 Anna', ['9991112233', 'anna']],
    ['111 22 33', ['111', '22', '33']],
    ['1234567890123', ['1234567890123']],
    ['e\u0301', ['\u00e9']],
  ]
  for (const [query, words] of searches) t.same(searchWords(query), words, query)
  t.equal(searchText('Ёлка', null, '', undefined, 'B'), 'елка\nb')
  t.end()
})

t.test('a name has those of its parts that there are', (t) => {
  t.equal(fullName({ lastname: 'Petrova', name: 'Maria', middlename: 'Ivanovna' }), 'Petrova Maria Ivanovna')
  t.equal(fullName({ lastname: 'Petrova', name: '', middlename: null }), 'Petrova')
  t.equal(fullName({ lastname: '', name: 'Maria' }), 'Maria')
  t.end()
})

t.test('characters are counted as readers count them', (t) => {
  const family = '👨‍👩‍👧'
  t.same(
    [isLongerThan('abc', 3), isLongerThan('abcd', 3), isLongerThan(family.repeat(3), 3), isLongerThan(family.repeat(4), 3)],
    [false, true, false, true],
  )
  const endless = (units: number) => '\u1100'.repeat(units)
  t.same([isLongerThan(endless(24), 3), isLongerThan(endless(25), 3)], [false, true], 'one character may be endless, its text not')
  t.same(
    [firstCharacters('abc', 2), firstCharacters('abc', 3), firstCharacters('abc', 4), firstCharacters('abc', 0)],
    ['ab', 'abc', 'abc', ''],
  )
  t.equal(firstCharacters(`${'a'.repeat(63)}${family}b`, 64), `${'a'.repeat(63)}${family}`, 'one that lies across the pieces that are read')
  t.equal(firstCharacters(family.repeat(40), 30), family.repeat(30))
  t.end()
})

t.test('control characters go, but for lines and tabs where these are allowed', (t) => {
  t.equal(stripControlCharacters('a\u0000b\u202ec\u2028d\ne\tf'), 'abcdef')
  t.same(['a\nb\tc', 'a\u0007', 'a\u202e', 'a\rb'].map(hasControlCharacters), [false, true, true, true])
  t.end()
})

t.test('of two long texts the parts around their first difference are shown', (t) => {
  const start = 'x'.repeat(50)
  const end = 'y'.repeat(200)
  t.same(excerptDifference(`${start}a`, `${start}b`), [`${start}a`, `${start}b`], 'short ones whole')
  t.same(excerptDifference(`${start}a${end}`, `${start}b${end}`), [
    `…${'x'.repeat(40)}a${'y'.repeat(159)}…`,
    `…${'x'.repeat(40)}b${'y'.repeat(159)}…`,
  ])
  t.same(excerptDifference(`a${end}`, `b${'y'.repeat(100)}`), [`a${'y'.repeat(199)}…`, `b${'y'.repeat(100)}`])
  t.end()
})

t.test('the city of an address is what it calls one, to the next comma', (t) => {
  const addresses: [string, string | null][] = [
    ['170000, г. Тверь, ул. Ленина', 'Тверь'],
    ['город Великий Новгород', 'Великий Новгород'],
    ['12 High St, City of Bath', 'Bath'],
    ['Пригород Тверской, 5', null],
    ['', null],
  ]
  for (const [address, city] of addresses) t.equal(cityOf(address), city, address)
  t.end()
})
