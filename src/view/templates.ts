import { fileURLToPath } from 'node:url'
import fastifyView from '@fastify/view'
import type { FastifyInstance } from 'fastify'
import nunjucks from 'nunjucks'
import { pastStatusNameFor, recordLabelFor, statusNameFor } from '../core/default-workflow.ts'
import { highlight } from '../core/highlight.ts'
import { fullName } from '../core/text.ts'
import { findSettings } from '../database/index.ts'
import { url } from '../http/request/addresses.ts'
import { formatCalendarDate, formatCount, formatDate, formatDateTime, recentFormatter, shortDateFormatter } from '../i18n/format.ts'
import { formatMoney } from '../i18n/money.ts'
import { type Language, languages, translator } from '../i18n/translate.ts'
import { root } from '../root.ts'
import { assetPath, editorPath } from './assets.ts'
import { type CellList, type CellMacros, type CellRow, renderCells } from './cells.ts'
import { icon, iconNames } from './icons.ts'

const folder = fileURLToPath(new URL('templates', root))

declare module 'fastify' {
  interface FastifyInstance {
    view_en: FastifyInstance['view']
    view_ru: FastifyInstance['view']
  }
  interface FastifyReply {
    view_en: FastifyReply['view']
    view_ru: FastifyReply['view']
  }
}

/** Macros see only globals, so each language has templates of its own. */
export function templatesOf(language: Language) {
  return `view_${language}` as const
}

export async function registerTemplates(app: FastifyInstance, language: Language): Promise<void> {
  const onConfigure = (env: nunjucks.Environment) => {
    for (const [name, value] of Object.entries(globals(app, language, env))) env.addGlobal(name, value)
    for (const [name, filter] of Object.entries(filters(app, language))) env.addFilter(name, filter)
  }
  const configure = (root: string, options: nunjucks.ConfigureOptions) => new nunjucks.Environment(new UnindentedLoader(root), options)
  await app.register(fastifyView, {
    engine: { nunjucks: { ...nunjucks, configure } },
    root: folder,
    propertyName: templatesOf(language),
    options: { autoescape: true, trimBlocks: true, lstripBlocks: true, onConfigure },
  })
}

/**
 * Templates are indented for their readers; browsers get a tenth less to read, and the service has less to encode. After a tag, whose line
 * break is trimmed, one blank of an indent is left: it may stand between words, though not beside blocks. Attributes bring
 * their own blank, so that none leaves nothing.
 */
class UnindentedLoader extends nunjucks.FileSystemLoader {
  override getSource(name: string): nunjucks.LoaderSource {
    const source = super.getSource(name)
    const src = source.src
      .replace(/\s+(\/?>|\{\{ attr\()/g, '$1')
      .replace(blanksBeforeBlock, '')
      .replace(blanksAfterBlock, '$1')
    return { ...source, src: src.replace(/([%#]\})?\n[ \t]+/g, (_, tag) => (tag ? `${tag}\n ` : '\n')) }
  }
}

const blocks =
  '(?:t[rdh]|thead|tbody|tfoot|table|caption|[uo]l|li|d[dlt]|nav|section|article|aside|header|footer|main|h[1-6]|option|p|div|rect|circle)'
const blanksBeforeBlock = new RegExp(`\\s+(?=</?${blocks}[\\s/>])`, 'g')
const blanksAfterBlock = new RegExp(`(</${blocks}>)\\s+`, 'g')

/** Marks HTML as safe, so that templates do not escape it. */
export function markup(text: string) {
  return new nunjucks.runtime.SafeString(text)
}

const icons = new Map(iconNames.map((name) => [name, markup(icon(name))]))

function globals(app: FastifyInstance, language: Language, env: nunjucks.Environment) {
  const escaped = env.getFilter('escape')
  return {
    language,
    languages,
    t: translator(language),
    url: (path: string) => url(app, path),
    asset: (name: string) => url(app, assetPath(name)),
    editor: (part: string) => url(app, editorPath(part)),
    cellsOf: (list: CellList, row: CellRow, name: unknown, macros: CellMacros, own?: CellMacros) =>
      markup(renderCells(list, row, name, macros, own)),
    /** A text with the words marked that a search found in it. */
    marked: (text: unknown, words: readonly string[] = []) => {
      if (words.length === 0 || isMissing(text)) return text
      const pieces = highlight(String(text), words).map(escaped)
      return markup(pieces.map((piece, index) => (index % 2 ? `<mark>${piece}</mark>` : piece)).join(''))
    },
    icon: (name: string) => icons.get(name) ?? icon(name),
    /** An attribute with its value, or nothing without one: `{{ attr('aria-current', 'page' if tab.current) }}`. */
    attr: (name: string, value: unknown) =>
      isMissing(value) ? '' : markup(` ${name}="${escapable.test(String(value)) ? escaped(String(value)) : value}"`),
    /** What a tag `include` does, after which memory of the whole page is freed only by a full garbage collection. */
    render: (template: string, ...data: object[]) => markup(env.render(template, Object.assign({}, ...data))),
  }
}

const escapable = /[&<>"']/

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function filters({ db }: FastifyInstance, language: Language): Record<string, (...args: never[]) => unknown> {
  const shortDate = shortDateFormatter(language)
  const settings = onceATurn(() => findSettings(db))
  return {
    date: formatDate,
    moment: formatDateTime,
    /** What a `time` element is for programs. */
    datetime: (moment: number) => new Date(moment).toISOString(),
    money: (kopecks: number, decimals?: number) => {
      const { currency_symbol, decimals: usual } = settings()
      return formatMoney(kopecks, { currency_symbol, decimals: decimals ?? usual })
    },
    many: formatCount,
    day: formatCalendarDate,
    fullName,
    /** A day of the calendar. */
    shortDay: (day: string) => shortDate(new Date(`${day}T12:00`).getTime()),
    shortDate,
    longDate: shortDateFormatter(language, 'long'),
    recent: recentFormatter(language, shortDate),
    orderNumber: (id: number) => recordLabelFor(language, 'orders', `#${id}`),
    recordLabel: (label: string, table: string) => recordLabelFor(language, table, label),
    statusName: (status: { name: string }) => statusNameFor(language, status),
    pastStatusName: (name: string | null) => name && pastStatusNameFor(language, name),
  }
}

/** A page is rendered in one turn, in which nothing else happens: what all its amounts ask is read once. */
function onceATurn<T>(read: () => T): () => T {
  let known: { value: T } | undefined
  return () => {
    if (!known)
      queueMicrotask(() => {
        known = undefined
      })
    known ??= { value: read() }
    return known.value
  }
}
