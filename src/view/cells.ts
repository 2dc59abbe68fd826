import { fullName } from '../core/text.ts'
import { formatCalendarDate, formatDateTime } from '../i18n/format.ts'
import type { Translate } from '../i18n/translate.ts'
import { attr, html, type Markup, marked, markup } from './html.ts'
import type { rowCells, ShownList, ShownRow } from './row-cells.ts'

/** What a cell, or a template's macro of it, is given besides the value. */
interface Cell {
  key: string
  column: CellColumn
  list: CellList
  row: CellRow
  /** What the row is called. */
  name: unknown
  /** Of the search, to be marked in it. */
  words: readonly string[]
  title: string | undefined
  href: string | undefined
  notes: readonly Note[]
  /** What the search found in the row that no column shows. */
  foundBy: readonly FoundText[] | undefined
}

interface CellColumn {
  key: string
  /** How its cells are drawn. */
  cell: string
  /** Its name, and what phones put before its cells. */
  text: string
  told?: string
  flexible: boolean
  kind: string
  words?: Readonly<Record<string, string>>
  opens?: boolean
  narrows?: { filter: string; by: string }
  notesFound: boolean
}

export interface CellList extends ShownList {
  columns: readonly CellColumn[]
  query: string
}

export interface CellRow extends ShownRow {
  picture?: string | null
  limit_left?: number | null
  titles?: Record<string, string | undefined>
  hrefs?: Record<string, string | undefined>
  notes?: Record<string, readonly Note[]>
  foundBy?: readonly FoundText[]
}

interface Note {
  text: string
  title?: string
}

interface FoundText {
  label: string
  text: string
}

// biome-ignore lint/suspicious/noExplicitAny: what the kind of its column says
type DrawCell = (cell: Cell, value: any) => { toString: () => string }

interface Reader {
  t: Translate
  url: (path: string) => string
  money: (kopecks: number) => string
  shortDay: (day: string) => string
  shortDate: (moment: number) => string
  recent: (moment: number) => string
  orderNumber: (id: number) => string
}

/**
 * The cells of a row, each as its column or its kind asks for: those that templates draw by their `own` macros, others as below, which takes a
 * fraction of the time of a macro.
 */
export function cellsDrawer(reader: Reader, { link, switch: onOff }: ReturnType<typeof rowCells>) {
  const { t, url, money, shortDay, shortDate, recent, orderNumber } = reader
  const cells: Record<string, DrawCell> = {
    text,
    person: (cell, person) => text(cell, person && fullName(person)),
    word: (cell, value) => text(cell, value && t(cell.column.words?.[value] as string)),
    order: (cell, id) => text(cell, id && orderNumber(id)),
    number: (cell, value) => td(cell, { class: 'number' }, value === null ? '—' : value),
    money: (cell, kopecks) =>
      td(cell, { class: 'money', kopecks, title: cell.title }, kopecks === null ? '—' : shown(cell, money(kopecks))),
    account,
    debt,
    day: (cell, day) => {
      const title = cell.title || (day && formatCalendarDate(day))
      return td(cell, { class: day ? 'moment' : 'moment is-blank', title }, day ? shortDay(day) : '—')
    },
    moment: (cell, at) => td(cell, { class: 'moment', title: at && formatDateTime(at) }, at ? shortDate(at) : '—'),
    recent: (cell, at) => td(cell, { class: 'moment', title: formatDateTime(at) }, recent(at)),
    onOff: ({ list, row, key, column, name }) => onOff(list, row, key, column.text, name),
  }

  return (list: CellList, row: CellRow, name: unknown, own: Record<string, DrawCell> = {}): Markup =>
    markup(
      list.columns
        .map((column) => {
          const draw = own[column.key] ?? own[column.cell] ?? cells[column.cell]
          return (draw as DrawCell)(viewOfCell(list, row, name, column), row[column.key])
        })
        .join(''),
    )

  function td(
    cell: Cell,
    { class: name, title, kopecks }: { class?: string; title?: unknown; kopecks?: number },
    content: unknown,
  ): Markup {
    const { key, column } = cell
    const label = attr('data-label', column.told)
    const amount = attr('data-kopecks', kopecks)
    return html`<td data-col="${key}"${label}${attr('class', name)}${amount}${attr('title', title)}>${content}</td>`
  }

  function text(cell: Cell, value: unknown): Markup {
    const content = shown(cell, value)
    const found = cell.foundBy ? foundTexts(cell.foundBy, cell.words) : ''
    const title = cell.href ? undefined : cell.title
    const cut = cell.column.flexible && value ? html`<span class="${cutClass(cell.column)}">${content}</span>` : content
    return td(cell, { class: value ? undefined : 'is-blank', title }, found ? html`${cut}${found}` : cut)
  }

  /** How a company stands, which is to be seen where its credit does not cover it. Owing nothing is no amount to read, having no credit left is. */
  function account(cell: Cell, kopecks: number | null): Markup {
    const over = Number(cell.row.limit_left) < 0 ? t('Over the credit limit') : undefined
    const content = kopecks || (kopecks === 0 && cell.key === 'limit_left') ? money(kopecks) : '—'
    const explained = over ? html`${content} <span class="over-limit">${t('Over limit')}</span>` : content
    return td(cell, { class: over ? 'money is-late' : 'money', kopecks: kopecks ?? undefined, title: over }, explained)
  }

  /** A sum of which nothing is left is no amount to read. */
  function debt(cell: Cell, kopecks: number | null): Markup {
    return td(cell, { class: 'money', kopecks: kopecks ?? undefined }, kopecks ? shown(cell, money(kopecks)) : '—')
  }

  /** A value with where it leads, and what stands quietly beside it: what a record is called leads to its card, for those who may see it. */
  function shown(cell: Cell, value: unknown): unknown {
    const { column, row, words, notes } = cell
    const content = column.opens && !cell.href ? link(cell.list, row, value) : (linked(cell, value) ?? (marked(value, words) || '—'))
    const picture = column.opens && row.picture
    if (!picture && notes.length === 0) return content
    const image = picture ? html`<img class="row-picture" src="${url(picture)}" alt="" loading="lazy" width="28" height="28">` : ''
    const beside = notes.map((note) => html` <span class="text-secondary"${attr('title', note.title)}>${marked(note.text, words)}</span>`)
    return html`${image}${content}${markup(beside.join(''))}`
  }

  function linked({ column, list, row, words, href, title }: Cell, value: unknown): Markup | undefined {
    const only = column.narrows && row[column.narrows.by]
    if (only) {
      const address = `${list.path}${list.query}${list.query ? '&' : '?'}${column.narrows?.filter}=${only}`
      return html`<a href="${address}" title="${t('Show only {name}', { name: value })}">${marked(value, words)}</a>`
    }
    if (!href || !value) return undefined
    return html`<a${attr('class', column.opens && 'row-link')} href="${href}"${attr('title', title)}>${marked(value, words)}</a>`
  }
}

function foundTexts(texts: readonly FoundText[], words: readonly string[]): Markup {
  const pieces = texts.map(({ label, text }) => html`${label}: ${marked(text, words)}`)
  return html`<div class="found-by">${markup(pieces.join(' · '))}</div>`
}

/** Names, which say what a row is about, have more room than other texts that are cut. */
const cutClass = ({ kind }: CellColumn) => (kind === 'name' || kind === 'person' ? `cut is-${kind}` : 'cut')

const none: readonly Note[] = []

function viewOfCell(list: CellList, row: CellRow, name: unknown, column: CellColumn): Cell {
  const { key } = column
  return {
    key,
    column,
    list,
    row,
    name,
    words: list.words,
    title: row.titles?.[key],
    href: row.hrefs?.[key],
    notes: row.notes?.[key] ?? none,
    foundBy: column.notesFound && row.foundBy?.length ? row.foundBy : undefined,
  }
}
