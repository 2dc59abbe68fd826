import { readdirSync, readFileSync } from 'node:fs'
import { root } from '../root.ts'
import { groupDigits } from './group-digits.ts'
import { type Amount, type Currency, formatMoney } from './money.ts'

const locales = new URL('locales/', root)

export const english = readTexts('en.json')

export const russian: Record<string, string> = Object.assign({}, ...textFiles('ru').map(readTexts))

export function textFiles(folder: string): string[] {
  return readdirSync(new URL(folder, locales)).map((name) => `${folder}/${name}`)
}

export function readTexts(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(path, locales), 'utf8'))
}

export type Language = 'en' | 'ru'
export interface Translate {
  (text: string | Message, params?: Record<string, unknown>): string
  /** Kopecks as the installation writes amounts, such as `12 345,67 ₽`. */
  money(kopecks: number, decimals?: number): string
}

export const languages: Record<Language, string> = { en: 'English', ru: 'Русский' }

/** A text with what stands in it, such as a problem. */
interface Message {
  message: string
  params?: Record<string, unknown>
}

/** A text with a gap is better than no page, except in tests, whose runner sets this: there a placeholder without a value is an error. */
const gapsAreRefused = process.env.TEXT_GAPS === 'refused'

function missingValue(text: string, name: string): string {
  if (gapsAreRefused) throw new Error(`{${name}} has no value in "${text}"`)
  return ''
}

/** Requested texts without a Russian translation; tests expect it to stay empty. */
export const missingTexts = new Set<string>()

/**
 * Texts in a language, with the amounts in them as an installation writes them. English texts are their own keys; plural texts have an entry for
 * each form, such as `{count} orders_one`.
 * @param currency of the settings; without it amounts are in rubles with two decimal places
 */
export function translator(language: Language, currency: Currency = usual): Translate {
  const { texts, forms } = languageTexts[language]
  const money = (kopecks: number, decimals?: number) => formatMoney(kopecks, decimals === undefined ? currency : { ...currency, decimals })
  const param = (name: string, value: unknown) =>
    isAmount(value)
      ? money(value.kopecks, value.decimals)
      : areTexts(value)
        ? value.each.map((text) => t(text)).join(', ')
        : formatParam(language, name, value)
  const t = (said: string | Message, given?: Record<string, unknown>): string => {
    const [key, params] = isMessage(said) ? [said.message, said.params] : [said, given]
    const plural = params?.count === undefined ? undefined : texts[`${key}_${forms.select(Number(params.count))}`]
    const text = plural ?? texts[key] ?? missingText(language, key)
    if (!params && !gapsAreRefused) return text
    return text.replace(/\{(\w+)\}/g, (_, name, at) => {
      const value = param(name, params?.[name] ?? missingValue(text, name))
      return isQuoted(text, at) ? withInnerQuotes(value) : value
    })
  }
  return Object.assign(t, { money })
}

/** Whether what stands there is between Russian quotes. */
const isQuoted = (text: string, at: number) => text.lastIndexOf('«', at) > text.lastIndexOf('»', at)

/** Quotes within quotes have a form of their own: «ООО „Окна Севера“». */
const withInnerQuotes = (text: string) => text.replaceAll('«', '„').replaceAll('»', '“')

/** A parameter that is a list of texts, each in the language of the reader. */
function areTexts(value: unknown): value is { each: string[] } {
  return typeof value === 'object' && value !== null && 'each' in value
}

const usual: Currency = { currency_symbol: null, decimals: null }

const languageTexts = {
  en: { texts: english, forms: new Intl.PluralRules('en') },
  ru: { texts: russian, forms: new Intl.PluralRules('ru') },
}

/** In Russian numbers are in groups of three, with a decimal comma; `{number}` names a record and stays as it is. */
function formatParam(language: Language, name: string, value: unknown): string {
  if (language !== 'ru' || typeof value !== 'number' || name === 'number') return String(value)
  const [whole = '', part] = String(value).split('.')
  return [groupDigits(whole), ...(part ? [part] : [])].join(',')
}

/** Numbers and times of day are the same in both languages. */
function missingText(language: Language, key: string): string {
  if (language === 'ru' && /\p{L}/u.test(key)) missingTexts.add(key)
  return key
}

export function preferredLanguage(acceptLanguage: string | undefined): Language | undefined {
  const wanted = (acceptLanguage ?? '').split(',').map((part) => {
    const [range = '', weight] = part
      .trim()
      .toLowerCase()
      .split(/;\s*q=/)
    return { code: range.slice(0, 2), weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const spoken = wanted.filter(({ code, weight }) => code in languages && weight > 0).sort((a, b) => b.weight - a.weight)
  return spoken[0]?.code as Language | undefined
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'message' in value
}

function isAmount(value: unknown): value is Amount {
  return typeof value === 'object' && value !== null && 'kopecks' in value
}
