import { excerptOf, sanitizeMarkup } from '../../core/sanitize.ts'
import type { Database } from '../open.ts'
import { news } from '../schema/index.ts'
import { day, daysAgo, minute, readContent, type SampleFiles, timestamps, today } from './content.ts'

interface Article {
  /** Here and in the description, `{day -5}` is the date five days ago and `{year 1}` the next year. */
  name: string
  description: string[]
  /** Days ago. */
  created: number
  picture?: string
  published?: boolean
  /** Days until it is published; published articles are since they were created. */
  scheduled?: number
}

const morning = 7 * 60 * minute

export function addNews(db: Database, { pictures }: SampleFiles): void {
  const articles = readContent<Article[]>('articles').sort((a, b) => b.created - a.created)
  for (const article of articles)
    db.insert(news)
      .values(row(article, pictures[article.picture ?? '']))
      .run()
}

function row({ name, description, created, published = false, scheduled }: Article, picture?: string): typeof news.$inferInsert {
  const title = fillDates(name)
  const text = fillDates(description.join('\n'))
  const at = daysAgo(created) + morning
  const shown = sanitizeMarkup(text)
  return {
    name: title,
    description: text,
    shown,
    excerpt: excerptOf(shown),
    images: picture ? [picture] : [],
    published,
    publishedon: scheduled ? daysAgo(-scheduled) + morning : published ? at : null,
    ...timestamps(at),
  }
}

function fillDates(text: string): string {
  const dates = new Intl.DateTimeFormat('ru', { day: 'numeric', month: 'long', timeZone: 'UTC' })
  return text
    .replace(/\{day (-?\d+)\}/g, (_, days) => dates.format(today + Number(days) * day))
    .replace(/\{year (-?\d+)\}/g, (_, years) => String(new Date(today).getUTCFullYear() + Number(years)))
}
