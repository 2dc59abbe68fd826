import type { Random } from './random.ts'

const mobileCodes = ['903', '905', '910', '912', '915', '916', '917', '921', '922', '926', '927', '950', '961', '985']

export function mobile(random: Random): string {
  return phone(random.pick(mobileCodes), random.digits(7))
}

export function landline(random: Random, code: string): string {
  return phone(code, random.integer(2, 7) + random.digits(6))
}

function phone(code: string, digits: string): string {
  return `+7(${code}) ${digits.replace(/(...)(..)(..)/, '$1 $2 $3')}`
}
