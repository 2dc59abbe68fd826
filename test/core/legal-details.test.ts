import fc from 'fast-check'
import t from 'tap'
import { findLegalDetailWarnings } from '../../src/core/legal-details.ts'

const wrong = {
  inn: 'Check the INN: the check digit is wrong.',
  ogrn: 'Check the OGRN: the check digit is wrong.',
  bik: 'BIK must have nine digits.',
  rs: 'The account does not match the BIK.',
  cs: 'The account does not match the BIK.',
}

t.test('valid legal details cause no warning', async (t) => {
  // Published numbers of a large bank and its account at the central bank.
  t.same(findLegalDetailWarnings({ inn: '7707083893', ogrn: '1027700132195', bik: '044525225', cs: '30101810400000000225' }), {})
  t.same(findLegalDetailWarnings({ inn: '500100732259', ogrn: '304500116000157' }), {}, 'a person')
  t.same(findLegalDetailWarnings({ bik: '044525225', rs: '40702810438000005001' }), {}, 'an account at a bank')
  t.same(findLegalDetailWarnings({ inn: '7707083830', ogrn: '1027700132130' }), {}, 'a remainder of ten is written as zero')
  t.same(findLegalDetailWarnings({ rs: '1', cs: '1' }), {}, 'without a BIK there is nothing to compare accounts with')
  t.same(findLegalDetailWarnings({ bik: '04452522', rs: '1', cs: '1' }), { bik: wrong.bik }, 'nor with one that is wrong itself')
  t.same(findLegalDetailWarnings({}), {})
  t.same(findLegalDetailWarnings({ inn: '', ogrn: null, bik: '', rs: null, cs: '' }), {}, 'nor is nothing compared')
})

const shifted = (number: string, at: number, shift: number) =>
  number.slice(0, at) + ((Number(number[at]) + shift) % 10) + number.slice(at + 1)
const shift = fc.integer({ min: 1, max: 9 })

t.test('any wrong digit in a bank account number causes a warning', async () => {
  const account = '30101810400000000225'
  fc.assert(
    fc.property(
      fc.nat(account.length - 1),
      shift,
      (at, by) => 'cs' in findLegalDetailWarnings({ bik: '044525225', cs: shifted(account, at, by) }),
    ),
  )
})

t.test('a wrong check digit of INN or OGRN causes a warning', async () => {
  // Elsewhere in the number the rule lets a few slip through: remainders of ten count as zero.
  const wrong = (number: string, by: number) => shifted(number, number.length - 1, by)
  fc.assert(
    fc.property(
      shift,
      (by) =>
        'inn' in findLegalDetailWarnings({ inn: wrong('7707083893', by) }) &&
        'inn' in findLegalDetailWarnings({ inn: wrong('500100732259', by) }),
    ),
  )
  fc.assert(fc.property(shift, (by) => 'ogrn' in findLegalDetailWarnings({ ogrn: wrong('1027700132195', by) })))
})

t.test('each of the two check digits of a personal INN counts', async (t) => {
  for (const inn of ['500100732266', '500100732258']) t.ok(findLegalDetailWarnings({ inn }).inn, inn)
})

t.test('legal details that are not numbers cause a warning', async (t) => {
  t.hasProps(findLegalDetailWarnings({ inn: 'abc', ogrn: '12', bik: '1' }), ['inn', 'ogrn', 'bik'])
  t.hasProps(findLegalDetailWarnings({ bik: '044525225', rs: 'x', cs: '1' }), ['rs', 'cs'])
})

t.test('each digit of legal details counts: whatever else stands in its place raises a doubt', (t) => {
  const details = { inn: '7707083893', ogrn: '1027700132195', bik: '044525225', cs: '30101810400000000225' }
  const merchant = { inn: '500100732259', ogrn: '304500116000157' }
  for (const [whole, name] of [
    [details, 'inn'],
    [details, 'ogrn'],
    [details, 'cs'],
    [merchant, 'inn'],
    [merchant, 'ogrn'],
  ] as const) {
    const text = (whole as Record<string, string>)[name] as string
    for (let at = 0; at < text.length; at += 1) {
      const other = text.slice(0, at) + ((Number(text[at]) + 1) % 10) + text.slice(at + 1)
      t.same(findLegalDetailWarnings({ ...whole, [name]: other }), { [name]: wrong[name] }, other)
    }
    const short = name === 'inn' ? 'INN must have 10 or 12 digits.' : wrong[name]
    for (const other of [`${text}0`, text.slice(1), `${text.slice(1)}x`])
      t.same(findLegalDetailWarnings({ ...whole, [name]: other }), { [name]: short }, other)
  }
  for (const bik of ['04452522', '0445252251', '04452522x']) t.equal(findLegalDetailWarnings({ bik }).bik, wrong.bik, bik)
  t.end()
})
