type LegalDetails = Partial<Record<'inn' | 'ogrn' | 'bik' | 'rs' | 'cs', string | null>>

/** Warnings about check digits, by field. They never block a save: the specification prescribes no format. */
export function findLegalDetailWarnings(requisites: LegalDetails): Record<string, string> {
  const { inn, ogrn, bik, rs, cs } = requisites
  const isBik = bik && /^\d{9}$/.test(bik)
  return Object.fromEntries(
    Object.entries({
      inn:
        inn &&
        !isInn(inn) &&
        (/^(\d{10}|\d{12})$/.test(inn) ? 'Check the INN: the check digit is wrong.' : 'INN must have 10 or 12 digits.'),
      ogrn: ogrn && !isOgrn(ogrn) && 'Check the OGRN: the check digit is wrong.',
      bik: bik && !isBik && 'BIK must have nine digits.',
      rs: rs && isBik && !isAccount(bik.slice(-3) + rs) && 'The account does not match the BIK.',
      cs: cs && isBik && !isAccount(`0${bik.slice(4, 6)}${cs}`) && 'The account does not match the BIK.',
    }).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
}

function isInn(inn: string): boolean {
  const digit = (length: number, weights: number[]) => (weightedSum(inn.slice(0, length), weights) % 11) % 10 === Number(inn[length])
  if (/^\d{10}$/.test(inn)) return digit(9, [2, 4, 10, 3, 5, 9, 4, 6, 8])
  if (!/^\d{12}$/.test(inn)) return false
  return digit(10, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) && digit(11, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8])
}

function isOgrn(ogrn: string): boolean {
  if (!/^(\d{13}|\d{15})$/.test(ogrn)) return false
  const remainder = BigInt(ogrn.slice(0, -1)) % BigInt(ogrn.length - 2)
  return Number(remainder % 10n) === Number(ogrn.at(-1))
}

function isAccount(digits: string): boolean {
  const weights = Array.from(digits, (_, at) => [7, 1, 3][at % 3] as number)
  return /^\d{23}$/.test(digits) && weightedSum(digits, weights) % 10 === 0
}

function weightedSum(digits: string, weights: number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0)
}
