import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { belongsTo, ephemeralRows, flag, id, recordRules, timestamp, versionedColumns } from './columns.ts'
import { users } from './users.ts'

export const news = sqliteTable(
  'news',
  {
    id: id(),
    name: text().notNull(),
    /** HTML as written by the author; never sent to readers. */
    description: text(),
    shown: text(),
    excerpt: text().notNull().default(''),
    images: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
    published: flag(false),
    publishedon: timestamp(),
    index: integer().notNull().default(0),
    ...versionedColumns,
  },
  (table) => [
    index('news_published').on(table.published, table.created_at, table.id),
    index('news_publishedon').on(table.publishedon, table.id),
    index('news_excerpt').on(table.excerpt),
    index('news_due').on(table.publishedon).where(sql`published = 0 and publishedon is not null`),
    index('news_images').on(table.images).where(sql`images <> '[]'`),
  ],
)

recordRules(news, { label: sql`${news.name}`, derived: ['shown', 'excerpt', 'index'], files: ['images'] })

export const newsReads = sqliteTable(
  'news_reads',
  {
    user_id: belongsTo(() => users.id),
    news_id: belongsTo(() => news.id),
  },
  (table) => [primaryKey({ columns: [table.user_id, table.news_id] }), index('news_reads_news').on(table.news_id)],
)

ephemeralRows(newsReads)
