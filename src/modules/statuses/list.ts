import { sql } from 'drizzle-orm'
import { contains, type Database, statuses, whereIn } from '../../database/index.ts'
import { page } from '../../web/http.ts'
import type { List } from '../../web/list/state.ts'
import type { CellData, ListView } from '../../web/list/view.ts'
import { workflowSection } from '../workflow/page.ts'
import { may, type Status } from './status.ts'

const reorderLink = page<{ list: ListView }>('statuses/tools.njk')
const keyCell = page<CellData<Status>>('statuses/key-cell.njk')
const nameCell = page<{ row: Status }>('statuses/name-cell.njk')

/** Never paged, because reordering needs all statuses. */
export function statusList(db: Database): List<Status> {
  return {
    name: 'statuses',
    title: 'Statuses',
    labelOf: ({ name }) => name,
    card: '/status/edit/',
    tools: reorderLink,
    add: { path: '/status/add', label: 'Add status' },
    columns: [
      { key: 'status_key', label: 'Key', cell: keyCell },
      { key: 'name', label: 'Status name', cell: nameCell },
      { key: 'color', label: 'Color', show: 'quiet' },
    ],
    sizes: ['all'],
    sort: { key: 'index', dir: 'asc', by: sql`${statuses.index}` },
    table: statuses,
    may,
    searched: 'key, name',
    find: (word) => contains(sql`concat_ws(char(10), ${statuses.status_key}, ${statuses.name}, ${statuses.color})`, word),
    below: workflowSection,
    rows: (ids) => db.select().from(statuses).where(whereIn(statuses.id, ids)).all(),
  }
}
