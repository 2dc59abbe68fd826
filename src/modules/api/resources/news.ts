import { allows } from '../../../core/access.ts'
import type { Context } from '../../../http/request/context.ts'
import { articleAccess } from '../../news/access.ts'
import { newsCard } from '../../news/card.ts'
import type { News } from '../../news/news.ts'
import { resourceOf } from './of-card.ts'

const article = resourceOf('Article', newsCard)

/** The text as its author wrote it is only for those who may change it: others get what pages show of it. */
function jsonOfArticle(context: Context, record: News) {
  const isEditor = allows(articleAccess.edit, context.actor, record)
  return article.json(context, isEditor ? record : { ...record, description: record.shown })
}

export const newsResource = { ...article, rowJson: jsonOfArticle, json: jsonOfArticle }
