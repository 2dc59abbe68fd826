import type { Random } from './random.ts'

type TaxOffice = string

export function organizationInn(random: Random, office: TaxOffice): string {
  const body = office + random.digits(5)
  return body + ((weightedSum(body, [2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10)
}

export function personalInn(random: Random, office: TaxOffice): string {
  const body = office + random.digits(6)
  const first = body + ((weightedSum(body, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10)
  return first + ((weightedSum(first, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10)
}

export function organizationOgrn(random: Random, office: TaxOffice): string {
  const body = `1${yearOfRegistration(random)}${office}${random.digits(5)}`
  return body + ((Number(body) % 11) % 10)
}

export function personalOgrn(random: Random, office: TaxOffice): string {
  const body = `3${yearOfRegistration(random)}${office}${random.digits(7)}`
  return body + ((Number(body) % 13) % 10)
}

export function okpo(random: Random, length: 8 | 10): string {
  const body = random.digits(length - 1)
  const rest = weightedSum(body, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11
  return rest === 10 ? okpo(random, length) : body + rest
}

export function settlementAccount(random: Random, bik: string, balance: '40702' | '40802'): string {
  return withCheckDigit(bik.slice(-3), `${balance}810`, random.digits(11))
}

export function correspondentAccount(bik: string): string {
  return withCheckDigit(`0${bik.slice(4, 6)}`, '30101810', `00000000${bik.slice(-3)}`)
}

function withCheckDigit(bank: string, head: string, tail: string): string {
  const sum = weightedSum(`${bank}${head}0${tail}`, accountWeights)
  return `${head}${(sum * 3) % 10}${tail}`
}

const accountWeights = Array.from({ length: 23 }, (_, place) => [7, 1, 3][place % 3] as number)

function weightedSum(digits: string, weights: number[]): number {
  return [...digits].reduce((sum, digit, place) => sum + Number(digit) * (weights[place] as number), 0)
}

function yearOfRegistration(random: Random): string {
  return String(random.integer(3, 24)).padStart(2, '0')
}
