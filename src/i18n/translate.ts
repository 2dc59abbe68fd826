import { readdirSync, readFileSync } from 'node:fs'
import { groupDigits } from './group-digits.ts'

export const english = readTexts('en.json')

export const russian: Record<string, string> = Object.assign({}, ...textFiles('ru').map(readTexts))

export function textFiles(folder: string): string[] {
  return readdirSync(new URL(folder, localesFolder())).map((name) => `${folder}/${name}`)
}

export function readTexts(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(path, localesFolder()), 'utf8'))
}

function localesFolder(): URL {
  return new URL('../../locales/', import.meta.url)
}

export type Language = 'en' | 'ru'
export type Translate = (key: string, params?: Record<string, unknown>) => string

export const languages: Record<Language, string> = { en: 'English', ru: 'Русский' }

/** A text with a gap is better than no page, except in tests, which call this: there a placeholder without a value is an error. */
export function refuseGaps(): void {
  gapsAreRefused = true
}

let gapsAreRefused = false

function missingValue(text: string, name: string): string {
  if (gapsAreRefused) throw new Error(`{${name}} has no value in "${text}"`)
  return ''
}

/** Requested texts without a Russian translation; tests expect it to stay empty. */
export const missingTexts = new Set<string>()

export function translator(language: Language): Translate {
  return translators[language]
}

const translators = { en: createTranslator('en', english), ru: createTranslator('ru', russian) }

/** English texts are their own keys; plural texts have an entry for each form, such as `{count} orders_one`. */
function createTranslator(language: Language, texts: Record<string, string>): Translate {
  const forms = new Intl.PluralRules(language)
  return (key, params) => {
    const plural = params?.count === undefined ? undefined : texts[`${key}_${forms.select(Number(params.count))}`]
    const text = plural ?? texts[key] ?? missingText(language, key)
    if (!params && !gapsAreRefused) return text
    return text.replace(/\{(\w+)\}/g, (_, name) => formatParam(language, name, params?.[name] ?? missingValue(text, name)))
  }
}

/** In Russian numbers are in groups of three, with a decimal comma; `{number}` names a record and stays as it is. */
function formatParam(language: Language, name: string, value: unknown): string {
  if (language !== 'ru' || typeof value !== 'number' || name === 'number') return String(value)
  const [whole = '', part] = String(value).split('.')
  return [groupDigits(whole), ...(part ? [part] : [])].join(',')
}

function missingText(language: Language, key: string): string {
  if (language === 'ru' && key) missingTexts.add(key)
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
