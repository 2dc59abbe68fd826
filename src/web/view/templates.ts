import { fileURLToPath } from 'node:url'
import fastifyView from '@fastify/view'
import type { FastifyInstance } from 'fastify'
import nunjucks from 'nunjucks'
import { recordLabelFor, statusNameFor } from '../../core/default-workflow.ts'
import { fullName } from '../../core/text.ts'
import { type Language, languages, translator } from '../../i18n/translate.ts'
import { url } from '../http.ts'
import { assetPath, editorPath } from './assets.ts'
import { formatCalendarDate, formatCount, formatDate, formatDateTime, formatMoney, recentFormatter, shortDateFormatter } from './format.ts'
import { icon, iconNames } from './icons.ts'

const folder = fileURLToPath(new URL('../../../templates', import.meta.url))

export const viewNames = { en: 'viewEn', ru: 'viewRu' } as const

type View = (template: string, data: object) => Promise<string>

type Specialize = (template: string, list: { name: string; columns: object }, constants: () => object) => nunjucks.Template

declare module 'fastify' {
  interface FastifyInstance {
    viewEn: View
    viewRu: View
    /**
     * Renders what stands in `[% %]` and `[[ ]]` of a template now and makes a template of the result. nunjucks takes longer for a
     * loop over the columns of a list than for what they show. The result is kept for as long as the columns; lists may share them.
     */
    specialize: Record<Language, Specialize>
  }
  interface FastifyReply {
    viewEn: FastifyReply['view']
    viewRu: FastifyReply['view']
  }
}

export async function registerTemplates(app: FastifyInstance): Promise<void> {
  app.decorate('specialize', {} as Record<Language, Specialize>)
  for (const language of Object.keys(viewNames) as Language[]) {
    const env = createEnvironment(app, language)
    app.specialize[language] = specializer(env, createEnvironment(app, language, firstTags))
    await app.register(fastifyView, { engine: { nunjucks: { configure: () => env } }, propertyName: viewNames[language] })
  }
}

/** Marks HTML as safe, so that templates do not escape it. */
export function markup(text: string) {
  return new nunjucks.runtime.SafeString(text)
}

const firstTags = { blockStart: '[%', blockEnd: '%]', variableStart: '[[', variableEnd: ']]' }

/** Compiles each result once; there are as many as lists, and some lists are made anew for each request. */
function specializer(env: nunjucks.Environment, first: nunjucks.Environment): Specialize {
  const kept = new WeakMap<object, Map<string, nunjucks.Template>>()
  const compiled = new Map<string, nunjucks.Template>()
  return (name, list, constants) => {
    const byList = kept.get(list.columns) ?? new Map<string, nunjucks.Template>()
    kept.set(list.columns, byList)
    const known = byList.get(list.name)
    if (known) return known
    const source = first.render(name, constants())
    const template = compiled.get(source) ?? new nunjucks.Template(source, env)
    compiled.set(source, template)
    byList.set(list.name, template)
    return template
  }
}

function createEnvironment(app: FastifyInstance, language: Language, tags?: typeof firstTags): nunjucks.Environment {
  const constants = new nunjucks.Environment(null)
  const env = new nunjucks.Environment(new CompletingLoader((expression) => constants.renderString(expression, {})), {
    autoescape: true,
    tags,
  })
  const shortDate = shortDateFormatter(language === 'en' ? 'en-GB' : language)
  const filters = {
    date: formatDate,
    moment: formatDateTime,
    /** What a `time` element is for programs. */
    datetime: (moment: number) => new Date(moment).toISOString(),
    shortDateFormatter,
    money: formatMoney,
    many: formatCount,
    day: formatCalendarDate,
    fullName,
    shortDate,
    recent: recentFormatter(shortDate),
  }
  for (const [name, value] of Object.entries(globals(app, language, env))) {
    constants.addGlobal(name, value)
    env.addGlobal(name, value)
  }
  for (const [name, filter] of Object.entries(filters)) env.addFilter(name, filter)
  env.addFilter('recordLabel', (label: string, table: string) => recordLabelFor(language, table, label))
  env.addFilter('statusName', (name: string | null) => name && statusNameFor(language, name))
  return env
}

const includes = /\{%(-?) include "([^"]+)" (-?)%\}/g
const constantExpressions = /\{\{ (?:t|url|asset|icon)\('[^'\\]*'\) \}\}/g

/**
 * Reads templates with those that they include by name and with what never changes in a language, `{{ t('Name') }}` and its like, put in
 * at once. An include while a page is rendered keeps the memory of the whole page until a full garbage collection.
 */
class CompletingLoader extends nunjucks.FileSystemLoader {
  readonly #render: (expression: string) => string
  constructor(render: (expression: string) => string) {
    super(folder)
    this.#render = render
  }

  override getSource(name: string): nunjucks.LoaderSource {
    const source = super.getSource(name)
    return source && { ...source, src: source.src.replace(includes, this.#included).replace(constantExpressions, this.#render) }
  }

  /** Comments trim the white space that the tag would. What a template imports would be seen by the one that includes it: it stays apart. */
  readonly #included = (tag: string, before: string, name: string, after: string): string => {
    const { src } = this.getSource(name)
    return /\{%-? import/.test(src) ? tag : `{#${before} #}${src}{# ${after}#}`
  }
}

const icons = new Map(iconNames.map((name) => [name, markup(icon(name))]))

function globals(app: FastifyInstance, language: Language, env: nunjucks.Environment) {
  return {
    language,
    languages,
    t: translator(language),
    url: (path: string) => url(app, path),
    asset: (name: string) => url(app, assetPath(name)),
    editor: (part: string) => url(app, editorPath(part)),
    icon: (name: string) => icons.get(name) ?? icon(name),
    /** What a tag `include` does. After that, memory of the whole page is freed only by a full garbage collection. */
    render: (template: string | nunjucks.Template, ...parts: object[]) => {
      const data = Object.assign({}, ...parts)
      return markup(typeof template === 'string' ? env.render(template, data) : template.render(data))
    },
  }
}
