import { recordLabelFor } from '../../core/default-workflow.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { FieldWords } from '../form/describe-value.ts'
import type { DescribedSheet, Reading } from '../spreadsheet/described-sheet.ts'
import { describeEntries, people } from './describe-entries.ts'

type Entry = ReturnType<typeof describeEntries>[number]

/** What the thread has to know of the cards: plain values, by tables. */
export interface HistorySheetData {
  /** The fields that the reader may see. */
  fields: ReadonlyMap<string, ReadonlyMap<string, FieldWords>>
  titles: ReadonlyMap<string, Titles>
}

/** What records of a table are called: groups of them, each with a query that finds an id if it belongs there, and any other. */
export interface Titles {
  groups: readonly { title: string; sql: string; params: readonly unknown[] }[]
  others: string
}

export const sheet: DescribedSheet<Entry & { type: string }, HistorySheetData> = {
  module: 'records/history/sheet',
  columns: [
    { label: 'ID', width: 10, value: ({ id }) => id },
    { label: 'When', width: 18, kind: 'moment', value: ({ at }) => at },
    { label: 'Who', value: ({ actor_name }) => actor_name },
    { label: 'Impersonation', value: ({ impersonator_name }) => impersonator_name },
    { label: 'IP address', value: ({ address }) => address },
    { label: 'Type', value: ({ type }, { t }) => t(type) },
    { label: 'Record', value: ({ entity, label }, { language }) => recordLabelFor(language, entity, label) },
    { label: 'Action', value: ({ done }, { t }) => t(done) },
    { label: 'Fields', width: 60, value: ({ fields }, { t }) => fields.map((field) => describeChange(field, t)).join('\n') },
  ],
  rows: (reading, words) => {
    const typeOf = typeFinder(reading, words)
    const fieldsFor = (entity: string) => words.fields.get(entity) ?? new Map<string, FieldWords>()
    return (ids) => describeEntries(reading, ids, fieldsFor).map((entry) => ({ ...entry, type: typeOf(entry) }))
  },
}

function typeFinder({ db }: Reading, { titles }: HistorySheetData) {
  const findersOf = ({ groups, others }: Titles) => {
    const finders = groups.map(({ title, sql, params }) => ({ title, find: db.$client.prepare(sql), params }))
    return (id: number) => finders.find(({ find, params }) => find.get(...params, id) !== undefined)?.title ?? others
  }
  const byTable = new Map([...titles].map(([table, named]) => [table, findersOf(named)]))
  return ({ entity, record_id }: Entry) => byTable.get(entity)?.(record_id) ?? people
}

function describeChange({ label, secret, before, after }: Entry['fields'][number], t: Translate): string {
  return `${label}: ${secret ? t('changed') : `${before} → ${after}`}`
}
