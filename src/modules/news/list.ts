import { sql } from 'drizzle-orm'
import { allows } from '../../core/access.ts'
import { stateOf } from '../../core/publication.ts'
import { type Database, news, whereIn } from '../../database/index.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import type { List } from '../../records/list/list.ts'
import { articleAccess, mayExport } from './access.ts'
import type { News } from './news.ts'

export type NewsRow = ReturnType<ReturnType<typeof rowsByIds>>[number]

export function newsList(db: Database): List<NewsRow> {
  return {
    name: 'news',
    title: 'News',
    empty: ({ actor }) =>
      allows(articleAccess.add, actor)
        ? { title: 'No articles yet', text: 'Articles tell dealers about prices, products, and events.' }
        : { title: 'No news yet', text: 'News from the manufacturer appears here: prices, products, and events.' },
    add: { path: '/news/add', label: 'Add article' },
    columns: [
      { key: 'name', label: 'Title', kind: 'name', value: news.name, sort: sql`fold(${news.name})` },
      { key: 'description', label: 'Text', kind: 'text', value: news.excerpt, sort: sql`fold(${news.excerpt})` },
      {
        key: 'publishedon',
        label: 'Publication date',
        kind: 'recent',
        value: news.publishedon,
        sort: news.publishedon,
      },
      { key: 'published', label: 'Published', kind: 'switch', value: news.published },
    ],
    sizes: [25, 50, 'all'],
    // By creation rather than a column, so that new drafts come first.
    sort: { key: 'id', dir: 'desc' },
    table: news,
    may: { ...articleAccess, switch: articleAccess.edit, export: mayExport },
    searchHint: 'title',
    find: [news.name],
    rows: { load: rowsByIds(db), template: 'news/rows.njk' },
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
