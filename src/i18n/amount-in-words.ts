import type { Language } from './translate.ts'

/** An amount of rubles as documents name it: «Двенадцать тысяч рублей 05 копеек». */
export function amountInWords(kopecks: number, language: Language): string {
  const amount = Math.abs(kopecks)
  const [rubles, rest] = [Math.floor(amount / 100), amount % 100]
  const { words, ruble, kopeck, forms } = languageWords[language]
  const named = `${words(rubles)} ${ruble[forms.select(rubles)]} ${String(rest).padStart(2, '0')}\u00a0${kopeck[forms.select(rest)]}`
  return named[0]?.toUpperCase() + named.slice(1)
}

type Forms = Record<string, string>

const languageWords = {
  ru: {
    words: russianWords,
    forms: new Intl.PluralRules('ru'),
    ruble: { one: 'рубль', few: 'рубля', many: 'рублей' } as Forms,
    kopeck: { one: 'копейка', few: 'копейки', many: 'копеек' } as Forms,
  },
  en: {
    words: englishWords,
    forms: new Intl.PluralRules('en'),
    ruble: { one: 'ruble', other: 'rubles' } as Forms,
    kopeck: { one: 'kopeck', other: 'kopecks' } as Forms,
  },
}

/** The lowest three digits first, with their place. */
const groupsOf = (number: number) =>
  Array.from({ length: 6 }, (_, place) => ({ place, group: Math.floor(number / 1000 ** place) % 1000 })).filter(({ group }) => group > 0)

const join = (groups: string[][]) => groups.toReversed().flat().filter(Boolean).join(' ')

const russianScales: Forms[] = [
  {},
  { one: 'тысяча', few: 'тысячи', many: 'тысяч' },
  ...['миллион', 'миллиард', 'триллион', 'квадриллион'].map((name) => ({ one: name, few: `${name}а`, many: `${name}ов` })),
]

const hundreds = 'сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот'.split(' ')
const tens = 'двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто'.split(' ')
const teens = 'десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать'.split(' ')
const ones = 'один два три четыре пять шесть семь восемь девять'.split(' ')
const feminine: Forms = { один: 'одна', два: 'две' }

function russianWords(number: number): string {
  if (number === 0) return 'ноль'
  return join(
    groupsOf(number).map(({ place, group }) => {
      const scale = russianScales[place]?.[languageWords.ru.forms.select(group)] ?? ''
      const words = [hundreds[Math.floor(group / 100) - 1] ?? '', ...below100(group % 100, tens, teens, ones)]
      return [...words.map((word) => (place === 1 ? (feminine[word] ?? word) : word)), scale]
    }),
  )
}

function below100(number: number, tens: string[], teens: string[], ones: string[]): string[] {
  if (number >= 10 && number < 20) return [teens[number - 10] ?? '']
  return [tens[Math.floor(number / 10) - 2] ?? '', ones[(number % 10) - 1] ?? '']
}

const englishScales = ['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion']
const englishTens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const englishTeens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const englishOnes = 'one two three four five six seven eight nine'.split(' ')

function englishWords(number: number): string {
  if (number === 0) return 'zero'
  return join(
    groupsOf(number).map(({ place, group }) => {
      const hundred = group >= 100 ? `${englishOnes[Math.floor(group / 100) - 1]} hundred` : ''
      const rest = below100(group % 100, englishTens, englishTeens, englishOnes)
        .filter(Boolean)
        .join('-')
      return [hundred, rest, englishScales[place] ?? '']
    }),
  )
}
