import { sql } from 'drizzle-orm'
import { contains } from '../../database/contains.ts'
import type { Database } from '../../database/open.ts'
import { statuses } from '../../database/schema/index.ts'
import { whereIn } from '../../database/where-in.ts'
import type { List } from '../../web/list/state.ts'
import { workflowSection } from '../workflow/page.ts'
import { may } from './access.ts'
import type { Status } from './status.ts'

/** Never paged: their order is one whole. */
export function statusList(db: Database): List<Status> {
  return {
    name: 'statuses',
    title: 'Statuses',
    template: 'statuses/rows.njk',
    tools: 'statuses/tools.njk',
    add: { path: '/status/add', label: 'Add status' },
    columns: [
      { key: 'status_key', label: 'Key' },
      { key: 'name', label: 'Status name' },
      { key: 'color', label: 'Color' },
    ],
    sizes: ['all'],
    sort: { key: 'index', dir: 'asc', by: sql`${statuses.index}` },
    table: statuses,
    may,
    bulk: true,
    find: (word) => contains(sql`concat_ws(char(10), ${statuses.status_key}, ${statuses.name}, ${statuses.color})`, word),
    below: workflowSection,
    rows: (ids) => db.select().from(statuses).where(whereIn(statuses.id, ids)).all(),
  }
}
