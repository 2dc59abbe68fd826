import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { resourceOf } from '../../records/api/resource.ts'
import { articleAccess } from './access.ts'
import { newsCard } from './card.ts'
import type { News } from './news.ts'

const article = resourceOf('Article', newsCard)

/** The text as its author wrote it is only for those who may change it: others get what pages show of it. */
function jsonOfArticle(context: Context, record: News) {
  const isEditor = allows(articleAccess.edit, context.actor, record)
  return article.json(context, isEditor ? record : { ...record, description: record.shown })
}

export const newsResource = { ...article, rowJson: jsonOfArticle, json: jsonOfArticle }
