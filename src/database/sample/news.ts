import { excerptOf, sanitizeMarkup } from '../../core/sanitize.ts'
import { searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { news } from '../schema/index.ts'
import { type Article, articles } from './articles.ts'
import { timestamps } from './calendar.ts'

export function addNews(db: Database): void {
  for (const message of articles) db.insert(news).values(row(message)).run()
}

function row({ name, description, created, published = false, publishedon }: Article): typeof news.$inferInsert {
  const at = Date.parse(created)
  const shown = sanitizeMarkup(description)
  return {
    name,
    description,
    shown,
    excerpt: excerptOf(shown),
    published,
    publishedon: publishedon ? Date.parse(publishedon) : published ? at : null,
    search: searchText(name),
    ...timestamps(at),
  }
}
