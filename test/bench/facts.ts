import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { fold } from '../../src/core/text.ts'
import { type Facts, terms } from './scenarios.ts'

/** Asks a database in the plainest way, so that the answers of the service can be held against it. */
export function readFacts(folder: string, size: number): Facts {
  const db = new Sqlite(join(folder, 'cabinet.sqlite'), { readonly: true })
  const one = (query: string, ...values: unknown[]) =>
    db
      .prepare(query)
      .pluck()
      .get(...values) as number
  const byName = 'select id from users where group_id = 2 order by search, id limit 1 offset ?'
  const facts = {
    size,
    first: one(byName, 0),
    last: one(byName, size - 1),
    atPage1000: size > 25_000 ? one(byName, 999 * 25) : undefined,
    found: Object.fromEntries(Object.values(terms).map((term) => [term, countFound(db, term)])),
    fresh: db.prepare('select id from orders where status_id = 1 order by id limit 2000').pluck().all() as number[],
    transition: one(
      "select id from status_transitions where parent_status_id = 1 and child_status_id = (select id from statuses where status_key = 'apply')",
    ),
    firstDealer: one('select min(id) from users where group_id = 2'),
  }
  db.close()
  return facts
}

/** Looks through the texts themselves; a manager, the dealer's own and the company's, is found by the name. */
function countFound(db: Sqlite.Database, query: string): number {
  const [companies, managers] = [
    textsOf(db, 'select id, org from companies'),
    textsOf(db, "select id, concat_ws(' ', lastname, name, middlename) from users where group_id <> 2"),
  ]
  const words = query.split(' ')
  const matching = (texts: [number, string][], word: string) => new Set(texts.flatMap(([id, text]) => (text.includes(word) ? id : [])))
  const reached = words.map((word) => ({
    word,
    companies: matching(companies, word),
    managers: matching(managers, word),
  }))
  let count = 0
  const dealers = `select u.company_id, u.manager_id, c.manager_id, concat_ws(char(10), u.lastname, u.name, u.tg_id)
    from users u left join companies c on c.id = u.company_id where u.group_id = 2`
  for (const [company, own, manager, text] of db.prepare(dealers).raw().iterate() as Iterable<[number, number, number, string]>) {
    const isFoundBy = (by: (typeof reached)[number]) =>
      fold(text).includes(by.word) || by.companies.has(company) || by.managers.has(own) || by.managers.has(manager)
    if (reached.every(isFoundBy)) count++
  }
  return count
}

function textsOf(db: Sqlite.Database, query: string): [number, string][] {
  const rows = db.prepare(query).raw().all() as [number, string][]
  return rows.map(([id, text]) => [id, fold(text)])
}
