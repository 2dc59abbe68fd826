import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Rule } from '../../core/access.ts'
import { recordLabelFor } from '../../core/default-workflow.ts'
import { contains, trash, whereIn } from '../../database/index.ts'
import type { Language, Translate } from '../../i18n/translate.ts'
import { page } from '../../web/http.ts'
import type { DescribedColumn } from '../../web/list/export.ts'
import type { List } from '../../web/list/state.ts'
import type { ListView } from '../../web/list/view.ts'
import { trashDays } from '../../web/operations/housekeeping.ts'
import type { Batch } from './batch.ts'

const day = 24 * 3600_000

const trashRows = page<{ list: ListView }>('trash/rows.njk')

export function trashList(app: FastifyInstance, rule: Rule<Batch>): List<TrashRow> {
  return {
    name: 'bin',
    title: 'Recently deleted',
    empty: 'What is deleted can be restored here for 30 days.',
    rowTemplate: trashRows,
    events: true,
    columns: [
      { key: 'what', label: 'Deleted', kind: 'text' },
      { key: 'list', label: 'Type', kind: 'short' },
      { key: 'actor', label: 'Deleted by', kind: 'person' },
      { key: 'at', label: 'When', kind: 'moment', sort: trash.at },
      { key: 'until', label: 'Kept until', kind: 'moment' },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'at', dir: 'desc' },
    table: trash,
    baseCondition: sql`${trash.size} is not null and ${trash.restored_at} is null and ${trash.at} > unixepoch('subsec') * 1000 - ${trashDays * day}`,
    may: { list: rule },
    filters: [
      {
        name: 'kind',
        label: 'Type',
        options: ({ t }) => [...app.deletions.values()].map(({ list }) => ({ value: list.name, label: t(list.title) })),
        where: (name) => (app.deletions.has(name) ? sql`${trash.list} = ${name}` : undefined),
      },
    ],
    find: (word) =>
      sql`(${trash.batch} in (select batch from trash where ${contains(sql`label`, word)}) or ${contains(sql`${trash.actor_name}`, word)})`,
    rows: (ids) => rowsOf(app, ids),
  }
}

export const exportColumns: DescribedColumn<TrashRow>[] = [
  { label: 'ID', width: 10, value: ({ id }) => id },
  { label: 'Deleted', value: deletedLabel },
  { label: 'Type', value: ({ kind }, t) => t(kind ?? '') },
  { label: 'Deleted by', value: ({ actor_name }) => actor_name },
  { label: 'When', width: 18, kind: 'moment', value: ({ at }) => at },
  { label: 'Kept until', width: 18, kind: 'moment', value: ({ until }) => until },
]

function deletedLabel({ list, label, more }: TrashRow, t: Translate, language: Language): string {
  const name = recordLabelFor(language, list, label)
  return more > 0 ? `${name} ${t('and {count} more', { count: more })}` : name
}

type TrashRow = ReturnType<typeof rowsOf>[number]

function rowsOf({ db, lists }: FastifyInstance, ids: number[]) {
  const { id, at, actor_name, list, label, size } = trash
  const rows = db.select({ id, at, actor_name, list, label, size }).from(trash).where(whereIn(id, ids)).all()
  return rows.map((row) => ({
    ...row,
    more: (row.size ?? 1) - 1,
    kind: lists.get(row.list)?.title,
    until: row.at + trashDays * day,
  }))
}
