import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import nunjucks from 'nunjucks'
import { fullName } from '../../core/text.ts'
import { type Language, languages, translator } from '../../i18n/translate.ts'
import { url } from '../http.ts'
import { assetPath, editorPath } from './assets.ts'
import { compileTemplate } from './compiler.ts'
import { drawn } from './drawing.ts'
import { formatCalendarDate, formatCount, formatDate, formatDateTime, formatMoney } from './format.ts'
import { icon, iconNames } from './icons.ts'

/** Draws a template in a language with data, which are the template's own from then on. */
export type Renderer = (language: Language, template: string, data: object) => string

const folder = fileURLToPath(new URL('../../../templates', import.meta.url))

/** Templates are compiled once for each language, so that what they always say is not looked up again for every page. */
export function createRenderer(app: FastifyInstance): Renderer {
  const environments = { en: environment(app, 'en'), ru: environment(app, 'ru') }
  return (language, template, data) => drawn(environments[language], template, data)
}

/** Markup that a template takes as it is. */
export function markup(text: string) {
  return new nunjucks.runtime.SafeString(text)
}

function environment(app: FastifyInstance, language: Language): nunjucks.Environment {
  const shown = (of: string, word: string): string => env.getFilter('escape')(env.getGlobal(of)(word)).toString()
  const env = new nunjucks.Environment(new FoldingLoader(shown), { autoescape: true })
  const filters = { date: formatDate, moment: formatDateTime, money: formatMoney, many: formatCount, day: formatCalendarDate, fullName }
  for (const [name, value] of Object.entries(globals(app, language))) env.addGlobal(name, value)
  for (const [name, filter] of Object.entries(filters)) env.addFilter(name, filter)
  return env
}

function globals(app: FastifyInstance, language: Language) {
  const sprite = url(app, assetPath('icons.svg'))
  const icons = new Map(iconNames.map((name) => [name, markup(icon(sprite, name))]))
  return {
    languages,
    t: translator(language),
    url: (path: string) => url(app, path),
    asset: (name: string) => url(app, assetPath(name)),
    editor: (part: string) => url(app, editorPath(part)),
    icon: (name: string) => icons.get(name) ?? icon(sprite, name),
  }
}

/**
 * Compiles templates, each with what never changes put in before: plain templates that it includes, and what
 * `{{ t('Name') }}` and its like always show.
 */
class FoldingLoader extends nunjucks.Loader implements nunjucks.ILoader {
  readonly #shown: (of: string, word: string) => string
  constructor(shown: (of: string, word: string) => string) {
    super()
    this.#shown = shown
  }

  getSource(name: string): nunjucks.LoaderSource {
    const src: unknown = { type: 'code', obj: compileTemplate(name, this.#folded(name)) }
    return { src: src as string, path: name, noCache: false }
  }

  #folded(name: string): string {
    return readFileSync(join(folder, name), 'utf8')
      .replace(/\{% include "([^"]+)" %\}/g, (include, part) => this.#plain(part) ?? include)
      .replace(/\{\{ (t|url|asset|icon)\('([^'\\]*)'\) \}\}/g, (_, of, word) => this.#shown(of, word))
  }

  /** A template that declares nothing: it may stand in the midst of another. */
  #plain(name: string): string | undefined {
    const source = this.#folded(name)
    return /\{%-? (set|import|from|macro|block|extends)\b/.test(source) ? undefined : source
  }
}
