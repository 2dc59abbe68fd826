import { sql } from 'drizzle-orm'
import { stateOf } from '../../core/publication.ts'
import { contains, type Database, news, whereIn } from '../../database/index.ts'
import { template } from '../../http/request/template.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import type { ExportColumn, List } from '../../records/list/state.ts'
import type { ListView } from '../../records/list/view.ts'
import { articleAccess, mayExport } from './access.ts'
import type { News } from './news.ts'

export type NewsRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

const rowTemplate = template<{ list: ListView }>('news/rows.njk')

const exportColumns: ExportColumn[] = [
  { label: 'ID', width: 10, value: news.id },
  { label: 'Title', width: 40, value: news.name },
  { label: 'Text', width: 60, value: news.excerpt },
  { label: 'Publication date', value: news.publishedon, kind: 'moment' },
  { label: 'Published', width: 12, value: news.published, kind: 'switch' },
]

export function newsList(db: Database): List<NewsRow> {
  return {
    name: 'news',
    title: 'News',
    empty: 'Articles tell dealers about prices, products, and events.',
    labelOf: ({ name }) => name,
    add: { path: '/news/add', label: 'Add article' },
    rowTemplate,
    columns: [
      { key: 'name', label: 'Title', kind: 'name' },
      { key: 'description', label: 'Text', kind: 'text', sort: sql`fold(${news.excerpt})` },
      { key: 'publishedon', label: 'Publication date', kind: 'recent', sort: news.publishedon },
      { key: 'published', label: 'Published', kind: 'switch' },
    ],
    exports: exportColumns,
    sizes: [25, 50, 'all'],
    // By creation rather than a column, so that new drafts come first.
    sort: { key: 'id', dir: 'desc' },
    table: news,
    may: { ...articleAccess, switch: articleAccess.edit, export: mayExport },
    searched: 'title',
    find: (word) => contains(sql`${news.name}`, word),
    rows: rowsByIds(db),
  }
}

function rowsByIds(db: Database) {
  const { id, name, excerpt, publishedon, published } = news
  const all = db.select({ id, name, excerpt, publishedon, published }).from(news)
  const query = all.where(whereIn(id, sql.placeholder('ids'))).prepare()
  return (ids: number[]) => query.all({ ids: JSON.stringify(ids) }).map((row) => ({ ...row, state: stateOf(row, Date.now()) }))
}

export const newsDeletion: DeletionPart<News> = {
  question: 'Delete {count} articles?',
  done: '{count} articles deleted',
}
