import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { type Card, type CardFrame, cardPart, type Tab } from '../../records/kind/card.ts'
import { articleAccess } from './access.ts'
import { describeState, newsForm } from './form.ts'
import { createNews, findNews, type News, newsLabel, updateNews } from './news.ts'
import { sanitizedText, sanitizeSent } from './sanitize-description.ts'

const previewTab = template<CardFrame & { record: News; image?: string }>('news/preview.njk')

const preview: Tab<News> = {
  name: 'preview',
  label: 'Preview',
  rule: articleAccess.view,
  ...cardPart(previewTab, (_: Context, message: News) => ({ image: message.images[0] })),
}

export const newsCard: Card<News, typeof newsForm> = {
  list: 'news',
  path: '/news',
  form: newsForm,
  may: articleAccess,
  find: findNews,
  titleOf: newsLabel,
  head: { state: describeState },
  formState: (_, message) => ({ mode: message ? 'edit' : 'create', stored: message ?? { published: false, images: [] }, choices: {} }),
  creation: {
    title: 'New article',
    done: 'Article "{name}" saved',
    create: (request, values) => createNews(request.server.db, values, request.author, (text) => sanitizedText(request, text)),
  },
  save: (request, message, values) =>
    updateNews(request.server.db, message, values, request.author, (text) => sanitizedText(request, text)),
  prepare: sanitizeSent,
  tabs: [preview],
}
