import { toCardinal as inEnglish } from 'n2words/en-US'
import { toCardinal as inRussian } from 'n2words/ru-RU'
import type { Language } from './translate.ts'

type Forms = Record<string, string>

const languageWords: Record<Language, { words: (number: number) => string; forms: Intl.PluralRules; ruble: Forms; kopeck: Forms }> = {
  ru: {
    words: inRussian,
    forms: new Intl.PluralRules('ru'),
    ruble: { one: 'рубль', few: 'рубля', many: 'рублей' },
    kopeck: { one: 'копейка', few: 'копейки', many: 'копеек' },
  },
  en: {
    words: inEnglish,
    forms: new Intl.PluralRules('en'),
    ruble: { one: 'ruble', other: 'rubles' },
    kopeck: { one: 'kopeck', other: 'kopecks' },
  },
}

/** An amount of rubles as documents name it: «Двенадцать тысяч рублей 05 копеек». */
export function amountInWords(kopecks: number, language: Language): string {
  const amount = Math.abs(kopecks)
  const [rubles, rest] = [Math.floor(amount / 100), amount % 100]
  const { words, ruble, kopeck, forms } = languageWords[language]
  const named = `${words(rubles)} ${ruble[forms.select(rubles)]} ${String(rest).padStart(2, '0')}\u00a0${kopeck[forms.select(rest)]}`
  return named[0]?.toUpperCase() + named.slice(1)
}
