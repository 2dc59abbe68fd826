import { prepareOnce } from '../../../database/prepare-once.ts'
import type { Message } from './message.ts'

export type StoredMessage = Omit<Message, 'internal'> & { internal: 0 | 1 }

interface Page {
  order: number
  limit: number
}

export const messagesOf = prepareOnce((db) =>
  db.$client.prepare<Page & { internal: number }, StoredMessage>(
    'select * from order_messages where order_id = @order and (@internal or not internal) order by id desc limit @limit',
  ),
)

interface StoredFile {
  message_id: number
  file: string
  name: string
  size: number
}

export const filesOf = prepareOnce((db) =>
  db.$client.prepare<{ ids: string }, StoredFile>(
    'select message_id, file, name, size from order_message_files where message_id in (select value from json_each(@ids)) order by id',
  ),
)

interface StoredEdit {
  message_id: number
  at: number
  text: string
}

export const editsOf = prepareOnce((db) =>
  db.$client.prepare<{ ids: string }, StoredEdit>(
    'select message_id, at, text from order_message_edits where message_id in (select value from json_each(@ids)) order by id',
  ),
)

interface StoredUpdate {
  id: number
  at: number
  author_id: number | null
  actor_name: string
  impersonator_name: string | null
  fields: string
}

export const updatesOf = prepareOnce((db) =>
  db.$client.prepare<Page, StoredUpdate>(
    `select id, at, actor_id as author_id, actor_name, impersonator_name, (select json_group_array(key) from json_each(fields)) as fields
      from changes where entity = 'orders' and record_id = @order and action = 'update' and fields ->> 'status_id' is null
      order by record_version desc limit @limit`,
  ),
)

export const lastVisit = prepareOnce((db) =>
  db.$client.prepare<{ user: number; order: number }, { seen_at: number }>(
    'select seen_at from order_visits where user_id = @user and order_id = @order',
  ),
)
