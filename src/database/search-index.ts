import type Sqlite from 'better-sqlite3'
import { and, type SQL, sql } from 'drizzle-orm'
import { foldedContains } from './conditions.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import { createTriggers, dropTriggers } from './triggers.ts'

/** Lists with a full-text index over one folded text per record, maintained by triggers.sql. */
const textTables = { dealers: 'dealer_texts', orders: 'order_texts', companies: 'company_texts' }

export type SearchIndex = keyof typeof textTables

export function matchingIds(index: SearchIndex, words: string[]): SQL {
  return sql`${currentMatches(index, words)} union all ${staleMatches(index, words)}`
}

export function newestMatching(index: SearchIndex, words: string[], limit: number): SQL {
  const [current, stale] = [currentMatches(index, words), staleMatches(index, words)].map(
    (matches) => sql`select id from (${matches} order by 1 desc limit +${limit})`,
  )
  return sql`${current} union all ${stale}`
}

function staleMatches(index: SearchIndex, words: string[]): SQL {
  const table = sql.identifier(textTables[index])
  return sql`select stale.id from ${table} as stale cross join search_texts as source on source.list = ${index} and source.id = stale.id
    where stale.stale and ${containsAll(sql`source.text`, words)}`
}

/** The trigram index needs words of three letters; shorter ones are searched in the texts. */
export const isIndexed = (word: string) => [...word].length >= 3

function currentMatches(index: SearchIndex, words: string[]): SQL {
  const table = sql.identifier(textTables[index])
  const indexed = words.filter(isIndexed)
  if (indexed.length === 0) return sql`select id from ${table} where not stale and ${containsAll(sql`text`, words)}`
  const fts = sql.identifier(`${textTables[index]}_fts`)
  const others = words.filter((word) => !indexed.includes(word))
  return sql`select rowid as id from ${fts} where ${fts} match ${allPhrases(indexed)}
    and rowid not in (select id from ${table} where stale)
    and ${containsAll(sql`(select text from ${table} where id = ${fts}.rowid)`, others)}`
}

export function textContains(index: SearchIndex, id: SQL, words: string[]): SQL {
  const table = sql.identifier(textTables[index])
  const source = sql`select text from search_texts where list = ${index} and search_texts.id = ${table}.id`
  return containsAll(sql`(select iif(stale, (${source}), text) from ${table} where ${table}.id = ${id})`, words)
}

export function refreshSearchTexts(db: Database, limit: number): void {
  for (const [list, name] of Object.entries(textTables)) {
    const table = sql.identifier(name)
    db.run(sql`update ${table} set stale = 0, text = (select text from search_texts where list = ${list} and search_texts.id = ${table}.id)
      where id in (select id from ${table} where stale limit ${limit})`)
  }
}

/** @returns whether a part of the full-text indexes was merged, and there may be more to merge */
export function mergeSearchIndexes(db: Database): boolean {
  return mergers(db)
    .map(({ merge, totalChanges }) => {
      const before = totalChanges.get() as number
      merge.run()
      // As SQLite documents it: one change is the command itself.
      return (totalChanges.get() as number) - before > 1
    })
    .includes(true)
}

const mergedPages = 4

const mergers = prepareOnce(({ $client: client }) =>
  [...Object.values(textTables).map((table) => `${table}_fts`), 'changes_fts'].map((table) => ({
    merge: client.prepare(`insert into ${table}(${table}, rank) values ('merge', ${mergedPages})`),
    totalChanges: client.prepare<[], number>('select total_changes()').pluck(),
  })),
)

/** How many records the indexes lack, or hold with another text without knowing it. */
export function outdatedTexts(client: Sqlite.Database): number {
  const counts = Object.entries(textTables).map(
    ([list, table]) => `select count(*) as outdated from search_texts left join ${table} as indexed using (id)
      where list = '${list}' and (indexed.id is null or (not stale and indexed.text <> search_texts.text))`,
  )
  return Number(
    client
      .prepare(`select sum(outdated) from (${counts.join(' union all ')})`)
      .pluck()
      .get(),
  )
}

export function hasStaleSearchTexts(db: Database): boolean {
  const stale = Object.values(textTables).map((name) => sql`exists (select 1 from ${sql.identifier(name)} where stale)`)
  return db.values<[number]>(sql`select ${sql.join(stale, sql` or `)}`)[0]?.[0] === 1
}

/** Rebuilds the indexes and the folded names used for sorting: needed after a change of `fold` or writes from outside. */
export function rebuildSearch({ $client: client }: Database): void {
  const fullName = "concat_ws(' ', lastname, name, middlename)"
  const sorted = { users: fullName, companies: 'org', stocks: 'name', manufactures: 'name', categories: 'name' }
  const rebuild = client.transaction(() => {
    dropTriggers(client)
    for (const [table, name] of Object.entries(sorted))
      client.exec(`update ${table} set search = fold(${name}) where search <> fold(${name})`)
    createTriggers(client)
  })
  rebuild.immediate()
}

function containsAll(text: SQL, words: string[]): SQL {
  return and(sql`1`, ...words.map((word) => foldedContains(text, word))) as SQL
}

export function allPhrases(words: string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')
}
