import type { FastifyInstance } from 'fastify'
import type { Database, imports } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FindChoices } from '../form/choices.ts'
import type { Values } from '../form/form.ts'
import type { AnyDeletion } from '../list/deletion.ts'
import type { AnyList } from '../list/list.ts'
import type { SearchSource } from '../list/search-source.ts'
import type { AnyCard } from './card.ts'
import type { AnyResource } from './resource.ts'

/** What the service knows of a kind of record. */
interface RecordKind {
  /** What it is called, where it has no list. */
  title?: string
  list?: AnyList
  card?: AnyCard
  deletion?: AnyDeletion
  search?: SearchSource
  imports?: ImportPart
  api?: AnyResource
}

/** What is said of a kind of record whose list takes sheets. */
export interface ImportPart {
  /** Fields by which rows can find their records, the best first. */
  keys: string[]
  /** What no two records share. */
  unique?: string
  /** Search functions for fields with too many choices to load. */
  finders?: Record<string, FindChoices>
  /** Values of new records that are not in the sheet. */
  initial?: Values
  /** What taking a change back says besides the values that it restores. */
  reverting?: Values
  /** Columns whose cells say several fields, by names that no field has. */
  splits?: Record<string, SplitColumn>
  /** The field that a row of one cell can say for the rows below. */
  groups?: string
  /** The lists of records that can be added when a cell names one that nobody knows, by field. */
  adds?: Record<string, string>
  /** Where whom it adds can be invited: the field of a new record that says so, and where links that nobody mails can be downloaded. */
  invitation?: { field: string; links: (context: Context) => string | undefined }
  /** What records become that a sheet does not name, where somebody says so, and which they could be. */
  missing?: MissingRecords
  /** What the cells of a new record say besides. */
  complete?: (texts: Map<string, string>) => void
  /** Adds and changes its records, where that is not the card of its pages. */
  card?: AnyCard
}

interface MissingRecords {
  label: string
  /** What leaving them and changing them is called. */
  choices: [leave: string, change: string]
  values: Values
  ids: (db: Database) => number[]
}

export interface SplitColumn {
  label: string
  synonyms: readonly string[]
  fields: readonly string[]
  /** Headings of columns that could be this one, where a sheet has several and somebody chooses. */
  rivals?: RegExp
  /** What a cell says of each of these fields. */
  split: (cell: string, sheet: Pick<Import, 'prices_from'>) => (string | undefined)[]
}

type Import = typeof imports.$inferSelect

declare module 'fastify' {
  interface FastifyInstance {
    /** By the names of their lists. */
    records: Map<string, RecordKind>
  }
}

export function cardsOf({ records }: Pick<FastifyInstance, 'records'>): AnyCard[] {
  return [...records.values()].flatMap(({ card }) => card ?? [])
}

/** What records of a card are called. */
export function kindTitle({ records }: Pick<FastifyInstance, 'records'>, card: AnyCard): string {
  const kind = records.get(card.list)
  return String(kind?.list?.title ?? kind?.title)
}

export function deletionsOf({ records }: Pick<FastifyInstance, 'records'>): AnyDeletion[] {
  return [...records.values()].flatMap(({ deletion }) => deletion ?? [])
}

export function resourcesOf({ records }: Pick<FastifyInstance, 'records'>): AnyResource[] {
  return [...records.values()].flatMap(({ api }) => api ?? [])
}
