import type { FastifyInstance } from 'fastify'
import { findSettings } from '../../database/index.ts'
import { publicUrl } from '../../http/request/addresses.ts'
import { defaultLanguage } from '../../http/request/organization.ts'
import { type Translate, translator } from '../../i18n/translate.ts'
import type { Attachment, Message, Together } from './channels/channel.ts'

/** A file that belongs to a step, and that its recipient may see. */
interface StepFile extends Attachment {
  size: number
  /** Where it is within the cabinet. */
  address: string
}

/** The files of a step for somebody, in their language. */
export type FindStepFiles = (app: FastifyInstance, step: { history_id: number; user_id: number }, t: Translate) => StepFile[]

declare module 'fastify' {
  interface Registry {
    filesOfSteps: FindStepFiles[]
  }
}

/**
 * A message with the files of the steps that it tells of: as many as it may carry go with it, and it says where the others are.
 * @param limit bytes of all that go with it
 */
export function withStepFiles<M extends Pick<Message, 'text'>>(app: FastifyInstance, together: Together, message: M, limit: number) {
  const t = translator(together[0].language ?? defaultLanguage(app), findSettings(app.db))
  const files = together.flatMap(({ history_id, user_id }) =>
    history_id === null ? [] : app.registry.filesOfSteps.flatMap((find) => find(app, { history_id, user_id }, t)),
  )
  const { carried, linked } = share(files, limit)
  const lines = [
    ...(carried.length > 0 ? [t('Attached: {files}', { files: carried.map(({ filename }) => filename).join(', ') })] : []),
    ...linked.map(({ filename, address }) => `${filename}: ${publicUrl(app, address)}`),
  ]
  if (lines.length === 0) return message
  const attachments = carried.map(({ filename, path, contentType }) => ({ filename, path, contentType }))
  return { ...message, text: [message.text, '', ...lines].join('\n'), attachments }
}

function share(files: StepFile[], limit: number) {
  const carried: StepFile[] = []
  const linked: StepFile[] = []
  let size = 0
  for (const file of files)
    if (size + file.size <= limit) {
      size += file.size
      carried.push(file)
    } else linked.push(file)
  return { carried, linked }
}
