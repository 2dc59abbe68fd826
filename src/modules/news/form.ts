import { stateOf } from '../../core/publication.ts'
import { isTooComplex } from '../../core/sanitize.ts'
import { news } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { dateTime, images, richText, text, toggle } from '../../records/fields/index.ts'
import { form } from '../../records/form/form.ts'

type News = typeof news.$inferSelect

const textLimit = 1024 * 1024
const pictureCount = 30

export const newsForm = form(news, [
  {
    title: 'News article',
    fields: {
      name: text('Title', { required: true, missing: 'Enter a title.', size: 80 }),
      publishedon: dateTime('Publication date', { hint: 'A draft with a future date is published automatically.' }),
      published: toggle('Published', { required: true }),
    },
  },
  { title: 'Text', fields: { description: richText('Text', { maxBytes: textLimit, refuse: rejectTooComplex }) } },
  { title: 'Images', fields: { images: images('Images', { max: pictureCount, hint: 'The first image is the cover.' }) } },
])

function rejectTooComplex(html: string): string | undefined {
  return isTooComplex(html) ? 'The text has too much formatting. Simplify it.' : undefined
}

export function describeState(context: Context, message: News) {
  const state = stateOf(message, Date.now())
  const date = formatDateTime(message.publishedon)
  if (state === 'draft') return { state, text: context.t('Draft') }
  if (state === 'planned') return { state, text: context.t('Scheduled for {date}', { date }) }
  return { state, text: date ? context.t('Published on {date}', { date }) : context.t('Published') }
}
