import { excerptOf, sanitizeMarkup } from '../../core/sanitize.ts'
import type { Database } from '../open.ts'
import { news } from '../schema/index.ts'
import { type Article, articles } from './articles.ts'
import { day, timestamps, today } from './calendar.ts'
import type { SampleFiles } from './files.ts'

const morning = 7 * 60 * 60_000

export function addNews(db: Database, { pictures }: SampleFiles): void {
  for (const article of [...articles].sort((a, b) => b.created - a.created))
    db.insert(news)
      .values(row(article, article.picture && pictures[article.picture]))
      .run()
}

function row({ name, description, created, published = false, scheduled }: Article, picture?: string): typeof news.$inferInsert {
  const at = today - created * day + morning
  const shown = sanitizeMarkup(description)
  return {
    name,
    description,
    shown,
    excerpt: excerptOf(shown),
    images: picture ? [picture] : [],
    published,
    publishedon: scheduled ? today + scheduled * day + morning : published ? at : null,
    ...timestamps(at),
  }
}
