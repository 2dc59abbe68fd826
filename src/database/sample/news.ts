import { excerptOf, sanitizeMarkup } from '../../core/sanitize.ts'
import { searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { news } from '../schema/index.ts'
import { timestamps } from './calendar.ts'
import { type Message, messages } from './messages.ts'

export function addNews(db: Database): void {
  for (const message of messages) db.insert(news).values(row(message)).run()
}

function row({ name, description, created, published = false, publishedon }: Message): typeof news.$inferInsert {
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
