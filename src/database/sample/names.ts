import { readContent } from './content.ts'
import type { Random } from './random.ts'

export interface PersonName {
  lastname: string
  name: string
  middlename: string | null
}

const names = readContent<Record<'families' | 'men' | 'women' | 'patronymics' | 'foreignFamilies' | 'foreignNames', string[]>>('names')

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

export function makeMailboxes(emails: Iterable<string>) {
  const taken = new Set(emails)
  return ({ lastname, name }: PersonName): string => {
    const family = transliterate(lastname)
    const short = `${transliterate(name.charAt(0))}.${family}`
    const long = `${transliterate(name)}.${family}`
    const numbered = Array.from({ length: 99 }, (_, index) => `${long}${index + 2}`)
    const emails = [short, long, ...numbered].map((mailbox) => `${mailbox}@example.com`)
    const email = emails.find((one) => !taken.has(one)) as string
    taken.add(email)
    return email
  }
}

const mobileCodes = ['903', '905', '910', '912', '915', '916', '917', '921', '922', '926', '927', '950', '961', '985']

export function mobile(random: Random): string {
  return `+7(${random.pick(mobileCodes)}) ${random.digits(7).replace(/(...)(..)(..)/, '$1 $2 $3')}`
}

const { cities, streets } = readContent<{ cities: { name: string; post: string }[]; streets: string[] }>('places')

export function anyAddress(random: Random): string {
  const { name, post } = random.pick(cities)
  const house = `${post}0${random.digits(2)}, г. ${name}, ${random.pick(streets)}, д. ${random.integer(1, 180)}`
  return house + random.pick(['', ', пав. 12', ', ТЦ «Стройград»', ', корп. 2', ', 1 этаж'])
}
