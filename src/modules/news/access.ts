import { eq, sql } from 'drizzle-orm'
import { type Actor, allOf, anyOf, has, isDealer, type Ownership, type Rule } from '../../core/access.ts'
import { news } from '../../database/index.ts'

interface NewsFacts {
  published: boolean
}

export function mayRead(actor: Actor, message: NewsFacts): boolean {
  return !isDealer(actor) || message.published
}

const readable: Ownership<NewsFacts> = {
  description: 'published news, if you are a dealer',
  predicate: mayRead,
  where: (actor) => (isDealer(actor) ? eq(news.published, true) : sql`1`),
}

const list = anyOf<NewsFacts>(has('news_can_view', readable))

export const articleAccess = {
  list,
  view: list,
  add: anyOf<NewsFacts>(has('news_can_add')),
  edit: allOf(list, anyOf<NewsFacts>(has('news_can_edit'))),
  delete: allOf(list, anyOf<NewsFacts>(has('news_can_delete'))),
} satisfies Record<string, Rule<NewsFacts>>

export const mayWriteNews = anyOf(has('news_can_add'), has('news_can_edit'))

export const mayExport = allOf(list, mayWriteNews)
