import { readFileSync } from 'node:fs'
import type { Random } from '../support/random.ts'

export interface PersonName {
  lastname: string
  name: string
  middlename: string | null
}

type Kind = 'families' | 'men' | 'women' | 'patronymics' | 'foreignFamilies' | 'foreignNames'

const names: Record<Kind, string[]> & { companies: [name: string, mailbox: string][] } = JSON.parse(
  readFileSync(new URL('names.json', import.meta.url), 'utf8'),
)

export const companyNames = names.companies

export function russianName(random: Random): PersonName {
  const [family, patronymic] = [random.pick(names.families), random.pick(names.patronymics)]
  if (random.chance(0.5)) return { lastname: family, name: random.pick(names.men), middlename: patronymic }
  const lastname = family.replace(/([оеё]в|ин)$/, '$1а').replace(/ский$/, 'ская')
  return { lastname, name: random.pick(names.women), middlename: patronymic.replace(/ич$/, 'на') }
}

export function foreignName(random: Random): PersonName {
  return { lastname: random.pick(names.foreignFamilies), name: random.pick(names.foreignNames), middlename: null }
}

const cyrillic = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
const letters = 'a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh sch  y  e yu ya'.split(' ')

export function transliterate(name: string): string {
  const spelled = [...name.toLowerCase()].map((letter) => letters[cyrillic.indexOf(letter)] ?? letter)
  return spelled.join('').replace(/[^a-z]/g, '')
}
