import i18next from 'i18next'
import { english } from './en.ts'
import { russian } from './ru.ts'

export type Language = 'en' | 'ru'
export type Translate = (key: string, params?: Record<string, unknown>) => string

export const languages: Record<Language, string> = { en: 'English', ru: 'Русский' }

/** Russian texts that were asked for and are missing; the tests expect it to stay empty. */
export const missingTexts = new Set<string>()

// English texts are their own keys; only their plural forms need an entry.
const i18n = i18next.createInstance()
await i18n.init({
  resources: { en: { translation: english }, ru: { translation: russian } },
  lng: 'en',
  fallbackLng: false,
  keySeparator: false,
  nsSeparator: false,
  interpolation: { prefix: '{', suffix: '}', escapeValue: false },
})

/** The translator of a language: English text in, that language's text out, `{name}` filled from the params. */
export function translator(language: Language): Translate {
  return translators[language]
}

const translators = { en: memorizing('en'), ru: memorizing('ru') }

/** A text is looked up once, in each form that numbers give it: a page asks for hundreds. */
function memorizing(language: Language): Translate {
  const translate = i18n.getFixedT(language)
  const forms = new Intl.PluralRules(language)
  const known = new Map<string, string>()
  const lookUp = (key: string, count?: number) => {
    const form = count === undefined ? key : `${key}_${forms.select(count)}`
    const text = known.get(form) ?? noteMissing(language, key, { count }) ?? translate(key, { count, skipInterpolation: true })
    known.set(form, text)
    return text
  }
  return (key, params) => {
    if (!params) return known.get(key) ?? lookUp(key)
    // "10 000+" is no number, and has the form of those that are none of the others.
    const text = lookUp(key, params.count === undefined ? undefined : Number(params.count))
    return text.replace(/\{(\w+)\}/g, (_, name) => String(params[name] ?? ''))
  }
}

function noteMissing(language: Language, key: string, params?: Record<string, unknown>): undefined {
  if (language === 'ru' && key && !i18n.exists(key, { lng: 'ru', ...params })) missingTexts.add(key)
}

/** The first of the browser's languages that the cabinet speaks. */
export function preferredLanguage(acceptLanguage: string | undefined, fallback: Language): Language {
  const wanted = (acceptLanguage ?? '').split(',').map((part) => {
    const [range = '', weight] = part
      .trim()
      .toLowerCase()
      .split(/;\s*q=/)
    return { code: range.slice(0, 2), weight: weight === undefined ? 1 : Number(weight) || 0 }
  })
  const spoken = wanted.filter(({ code, weight }) => code in languages && weight > 0).sort((a, b) => b.weight - a.weight)
  return (spoken[0]?.code as Language | undefined) ?? fallback
}
