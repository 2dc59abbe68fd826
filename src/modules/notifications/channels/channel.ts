import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import type { EnvironmentVariable } from '../../../config.ts'
import type { PaymentState } from '../../../core/payments.ts'
import type { Language } from '../../../i18n/translate.ts'
import type { Fields } from '../../../records/fields/index.ts'

/** What a message says to whom. */
export interface Delivery {
  id: number
  notification_id: number
  attempts: number
  user_id: number
  /** The moment of the message that tells it, if it is gathered. */
  gathered_for: number | null
  /** The address of the person on this channel. */
  recipient: string | null
  active: boolean
  language: Language | null
  created_at: number
  order_id: number | null
  /** A step of an order. */
  history_id: number | null
  company: string | null
  /** The manager as whose deputy the person is told. */
  for_manager: string | null
  specification_number: number | null
  status_name: string
  from_name: string | null
  actor_name: string | null
  /** A message about an order. */
  message: { id: number; author_name: string; text: string; internal: boolean; withdrawn_at: number | null } | null
  /** A payment of an order, in kopecks. */
  payment: { id: number; state: PaymentState; amount: number; reason: string | null } | null
  /** What the company of the order has not paid of it, in kopecks, and until when it has time. */
  lacking: number | null
  due_day: string | null
  /** What happened to an account, and from where, or to a payment. */
  event: string | null
  /** What an event of the installation is about. */
  detail: string | null
  address: string | null
  user_agent: string | null
}

/** Deliveries to one person that one message tells. */
export type Together = [Delivery, ...Delivery[]]

export interface Message {
  /** Stays the same for every attempt, so that mail servers recognize duplicates. */
  id: string
  /** The address of the person on this channel. */
  to: string
  subject: string
  text: string
  attachments?: Attachment[]
}

export interface Attachment {
  filename: string
  /** Where the file is on the disk. */
  path: string
  contentType: string
}

/** A way to reach people outside the cabinet. */
export interface Channel {
  /** Stored with each delivery. */
  key: string
  label: string
  /** Whether this installation has set it up. */
  isOpen: (app: FastifyInstance) => boolean
  /** What of the environment sets it up, and what for. */
  environment: Partial<Record<EnvironmentVariable, string>>
  /** The column of `users` with the address of a person. */
  address: SQLiteColumn
  /** Where people say what that is; nothing where it is one that everybody has. */
  addressFields: Fields
  /** What they say of what they want to hear this way, and when. */
  preferences: Fields
  /** The columns of `users` that say of what a person wants to hear this way. */
  wanted: Record<'statuses' | 'messages' | 'mentions' | 'payments', SQLiteColumn>
  /** The columns of `users` that say when a person wants to hear this way of what is not urgent; without them everything comes at once. */
  gathered?: Record<'pace' | 'time', SQLiteColumn>
  /** The bytes of files that a message may carry; without it none. */
  filesUpTo?: number
  /** Hands a message over. Rejects when it was not accepted; worth a retry unless it is a `PermanentFailure`. */
  send: (app: FastifyInstance, message: Message) => Promise<void>
}

/** The channel will never accept this message, for example because the address does not exist. */
export class PermanentFailure extends Error {}

export class RateLimited extends Error {
  readonly retryAfter: number
  constructor(seconds: number, message: string) {
    super(message)
    this.retryAfter = seconds
  }
}

/** An error in words, with what caused it. */
export function reasonOf({ message, cause }: Error): string {
  return [message, (cause as Error | undefined)?.message].filter(Boolean).join(': ').replace(/\s+/g, ' ')
}
