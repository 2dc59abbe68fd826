import t from 'tap'
import { findLegalDetailWarnings } from '../../src/core/legal-details.ts'

type Details = Parameters<typeof findLegalDetailWarnings>[0]

const wrong = {
  inn: 'Check the INN: the check digit is wrong.',
  ogrn: 'Check the OGRN: the check digit is wrong.',
  bik: 'BIK must have nine digits.',
  rs: 'The account does not match the BIK.',
  cs: 'The account does not match the BIK.',
}

/** Of Sberbank, whose details are public, and of an invented merchant. */
const right: Details[] = [
  {},
  { inn: '', ogrn: null, bik: '', rs: null, cs: '' },
  { inn: '7707083893', ogrn: '1027700132195', bik: '044525225', cs: '30101810400000000225' },
  { inn: '500100732259', ogrn: '304500116000157' },
  { rs: '40702810900000000001', cs: '1' },
]

t.test('legal details with right check digits, and those that are not filled in, raise no doubt', (t) => {
  for (const details of right) t.same(findLegalDetailWarnings(details), {}, JSON.stringify(details))
  t.end()
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
    for (const other of [`${text}0`, text.slice(1), `${text.slice(1)}x`])
      t.same(findLegalDetailWarnings({ ...whole, [name]: other }), { [name]: wrong[name] }, other)
  }
  for (const bik of ['04452522', '0445252251', '04452522x']) t.equal(findLegalDetailWarnings({ bik }).bik, wrong.bik, bik)
  t.end()
})
