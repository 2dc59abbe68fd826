import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Rule } from '../../core/access.ts'
import { contains, trash } from '../../database/index.ts'
import { mayReadHistory } from '../history/list.ts'
import { deletionsOf } from '../kind/registry.ts'
import type { List } from '../list/list.ts'
import type { Batch } from './batch.ts'
import { loadTrash, type TrashRow, trashTime } from './sheet.ts'

export function trashList(app: FastifyInstance, rule: Rule<Batch>): List<TrashRow> {
  return {
    name: 'bin',
    title: 'Recently deleted',
    empty: {
      title: 'Nothing is deleted',
      text: 'What is deleted can be restored here for 30 days.',
      way: { path: '/activity', label: 'Change history', rule: mayReadHistory },
    },
    columns: [
      { key: 'what', label: 'Deleted', kind: 'text' },
      { key: 'list', label: 'Type', kind: 'short' },
      { key: 'actor', label: 'Deleted by', kind: 'person' },
      { key: 'at', label: 'When', kind: 'recent', sort: trash.at },
      { key: 'until', label: 'Kept until', kind: 'date' },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'at', dir: 'desc' },
    table: trash,
    baseCondition: sql`${trash.size} is not null and ${trash.restored_at} is null and ${trash.at} > unixepoch('subsec') * 1000 - ${trashTime}`,
    may: { list: rule },
    filters: [
      {
        name: 'kind',
        label: 'Type',
        options: ({ t }) => deletionsOf(app).map(({ list }) => ({ value: list.name, label: t(list.title) })),
        where: (name) => (app.records.get(name)?.deletion ? sql`${trash.list} = ${name}` : undefined),
      },
    ],
    find: (word) =>
      sql`(${trash.batch} in (select batch from trash where ${contains(sql`label`, word)}) or ${contains(sql`${trash.actor_name}`, word)})`,
    rows: { load: (ids) => loadTrash(app.db, titlesOf(app), ids), template: 'trash/rows.njk', events: true },
  }
}

/** What the records are called from which something is deleted. */
export function titlesOf({ records }: FastifyInstance): ReadonlyMap<string, string> {
  return new Map([...records].flatMap(([name, { list }]) => (list ? [[name, list.title]] : [])))
}
