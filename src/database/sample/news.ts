import { searchText } from '../../core/text.ts'
import type { Database } from '../open.ts'
import { news } from '../schema/index.ts'
import { stamps } from './calendar.ts'
import { type Message, messages } from './messages.ts'

export function addNews(db: Database): void {
  for (const message of messages) db.insert(news).values(row(message)).run()
}

/** The descriptions hold nothing that readers may not be shown, so both texts are one. */
function row({ name, description, created, published = false, publishedon }: Message): typeof news.$inferInsert {
  const at = Date.parse(created)
  return {
    name,
    description,
    shown: description,
    published,
    publishedon: publishedon ? Date.parse(publishedon) : published ? at : null,
    search: searchText(name),
    ...stamps(at),
  }
}
