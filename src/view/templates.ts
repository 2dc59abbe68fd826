import { fileURLToPath } from 'node:url'
import fastifyView from '@fastify/view'
import type { FastifyInstance } from 'fastify'
import nunjucks from 'nunjucks'
import { pastStatusNameFor, recordLabelFor, statusNameFor } from '../core/default-workflow.ts'
import { onceATurn } from '../core/once-a-turn.ts'
import { fullName } from '../core/text.ts'
import { findSettings } from '../database/index.ts'
import { url } from '../http/request/addresses.ts'
import {
  formatCalendarDate,
  formatCount,
  formatDate,
  formatDateTime,
  formatTime,
  recentFormatter,
  shortDateFormatter,
} from '../i18n/format.ts'
import { formatMoney } from '../i18n/money.ts'
import { type Language, languages, translator } from '../i18n/translate.ts'
import { root } from '../root.ts'
import { assetPath, editorPath } from './assets.ts'
import { cellsDrawer } from './cells.ts'
import { attr, marked, markup } from './html.ts'
import { icon, iconNames } from './icons.ts'
import { rowCells } from './row-cells.ts'

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

const icons = new Map(iconNames.map((name) => [name, markup(icon(name))]))

function globals(app: FastifyInstance, language: Language, env: nunjucks.Environment) {
  const reader = {
    t: translator(language),
    url: (path: string) => url(app, path),
    icon: (name: string) => icons.get(name) ?? icon(name),
    ...filters(app, language),
  }
  const row = rowCells(reader)
  return {
    language,
    languages,
    t: reader.t,
    url: reader.url,
    asset: (name: string) => url(app, assetPath(name)),
    editor: (part: string) => url(app, editorPath(part)),
    icon: reader.icon,
    /** The cells of a row. */
    cells: { ...row, of: cellsDrawer(reader, row) },
    marked,
    attr,
    /** What a tag `include` does, after which memory of the whole page is freed only by a full garbage collection. */
    render: (template: string, ...data: object[]) => markup(env.render(template, Object.assign({}, ...data))),
  }
}

function filters({ db }: FastifyInstance, language: Language) {
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
    time: formatTime,
    recent: recentFormatter(language, shortDate),
    recentOnRecord: recentFormatter(language, formatDate),
    orderNumber: (id: number) => recordLabelFor(language, 'orders', `#${id}`),
    recordLabel: (label: string, table: string) => recordLabelFor(language, table, label),
    statusName: (status: { name: string }) => statusNameFor(language, status),
    pastStatusName: (name: string | null) => name && pastStatusNameFor(language, name),
  }
}
