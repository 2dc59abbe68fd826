import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Rule } from '../../core/access.ts'
import { among } from '../../database/among.ts'
import { bin } from '../../database/schema/index.ts'
import { binDays } from '../../web/housekeeping.ts'
import type { List } from '../../web/list/state.ts'
import type { Batch } from './batch.ts'

const day = 24 * 3600_000

/** What can be restored, one row for everything that was deleted together. */
export function binList(app: FastifyInstance, rule: Rule<Batch>): List<BinRow> {
  return {
    name: 'bin',
    title: 'Bin',
    template: 'bin/rows.njk',
    columns: [
      { key: 'what', label: 'Deleted' },
      { key: 'list', label: 'Kind' },
      { key: 'actor', label: 'Deleted by' },
      { key: 'at', label: 'When', sort: sql`${bin.at}` },
      { key: 'until', label: 'Kept until' },
    ],
    sizes: [25, 50, 'all'],
    sort: { key: 'at', dir: 'desc' },
    table: bin,
    // The first record of a batch stands for all of them.
    only: sql`${bin.size} is not null and ${bin.restored_at} is null and ${bin.at} > unixepoch('subsec') * 1000 - ${binDays * day}`,
    may: { list: rule },
    bulk: false,
    filters: [
      {
        name: 'kind',
        label: 'Kind',
        options: ({ t }) => [...app.deletions.values()].map(({ list }) => ({ value: list.name, label: t(list.title) })),
        where: (name) => (app.deletions.has(name) ? sql`${bin.list} = ${name}` : undefined),
      },
    ],
    find: (word) => sql`(${bin.batch} in (select batch from bin where instr(search, ${word})) or instr(fold(${bin.actor_name}), ${word}))`,
    rows: (ids) => rowsOf(app, ids),
  }
}

type BinRow = ReturnType<typeof rowsOf>[number]

function rowsOf({ db, deletions }: FastifyInstance, ids: number[]) {
  const { id, at, actor_name, list, label, size } = bin
  const rows = db.select({ id, at, actor_name, list, label, size }).from(bin).where(among(id, ids)).all()
  return rows.map((row) => ({
    ...row,
    more: (row.size ?? 1) - 1,
    kind: deletions.get(row.list)?.list.title,
    until: row.at + binDays * day,
  }))
}
