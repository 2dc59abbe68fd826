import type Sqlite from 'better-sqlite3'
import { and, type SQL, sql } from 'drizzle-orm'
import { foldedContains } from './conditions.ts'
import type { Database } from './open.ts'
import { prepareOnce } from './prepare-once.ts'
import { searchIndexes } from './searched.ts'
import { createTriggers, dropTriggers } from './triggers.ts'

export type SearchIndex = keyof typeof searchIndexes

const schemas = Object.values(searchIndexes)

export function matchingIds(index: SearchIndex, words: string[]): SQL {
  return sql`${currentMatches(index, words)} union all ${staleMatches(index, words)}`
}

export function newestMatching(index: SearchIndex, words: string[], limit: number): SQL {
  const [current, stale] = [currentMatches(index, words), staleMatches(index, words)].map(
    (matches) => sql`select id from (${matches} order by 1 desc limit +${limit})`,
  )
  return sql`${current} union all ${stale}`
}

/** The limit keeps SQLite from folding a text anew for every word. */
function staleMatches(index: SearchIndex, words: string[]): SQL {
  const [table, source] = namesOf(index)
  const texts = sql`select stale.id, source.text from ${table} as stale cross join ${source} as source on source.id = stale.id
    where stale.stale limit -1`
  return sql`select id from (${texts}) where ${containsAll(sql`text`, words)}`
}

/** The trigram index needs words of three letters; shorter ones are searched in the texts. */
export const isIndexed = (word: string) => [...word].length >= 3

function currentMatches(index: SearchIndex, words: string[]): SQL {
  const [table, , fts] = namesOf(index)
  const indexed = words.filter(isIndexed)
  if (indexed.length === 0) return sql`select id from ${table} where not stale and ${containsAll(sql`text`, words)}`
  const others = words.filter((word) => !indexed.includes(word))
  return sql`select rowid as id from ${fts} where ${fts} match ${allPhrases(indexed)}
    and rowid not in (select id from ${table} where stale)
    and ${containsAll(sql`(select text from ${table} where id = ${fts}.rowid)`, others)}`
}

export function textContains(index: SearchIndex, id: SQL, words: string[]): SQL {
  const [table, source] = namesOf(index)
  const current = sql`select text from ${source} where ${source}.id = ${table}.id`
  return containsAll(sql`(select iif(stale, (${current}), text) from ${table} where ${table}.id = ${id})`, words)
}

export function refreshSearchTexts(db: Database, limit: number): void {
  for (const { texts, source } of schemas) {
    const table = sql.identifier(texts)
    db.run(sql`update ${table} set stale = 0, text = (select text from ${sql.identifier(source)} as source where source.id = ${table}.id)
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
  [...schemas.map(({ fullText }) => fullText), 'changes_fts'].map((table) => ({
    merge: client.prepare(`insert into ${table}(${table}, rank) values ('merge', ${mergedPages})`),
    totalChanges: client.prepare<[], number>('select total_changes()').pluck(),
  })),
)

/** How many records the indexes lack, hold although they are gone, or hold with another text without knowing it. */
export function outdatedTexts(client: Sqlite.Database): number {
  const counts = schemas.flatMap(({ texts, source }) => [
    `select count(*) as outdated from ${source} as source left join ${texts} as indexed using (id)
      where indexed.id is null or (not indexed.stale and indexed.text <> source.text)`,
    `select count(*) from ${texts} as indexed where not exists (select 1 from ${source} as source where source.id = indexed.id)`,
  ])
  return Number(
    client
      .prepare(`select sum(outdated) from (${counts.join(' union all ')})`)
      .pluck()
      .get(),
  )
}

export function hasStaleSearchTexts(db: Database): boolean {
  const stale = schemas.map(({ texts }) => sql`exists (select 1 from ${sql.identifier(texts)} where stale)`)
  return db.values<[number]>(sql`select ${sql.join(stale, sql` or `)}`)[0]?.[0] === 1
}

/** Writes anew what triggers keep: the indexes, the names by which lists are sorted, and counters. */
export function rebuildSearch({ $client: client }: Database): void {
  const rebuild = client.transaction(() => {
    dropTriggers(client)
    createTriggers(client)
  })
  rebuild.immediate()
}

function namesOf(index: SearchIndex) {
  const { texts, source, fullText } = searchIndexes[index]
  return [sql.identifier(texts), sql.identifier(source), sql.identifier(fullText)] as const
}

function containsAll(text: SQL, words: string[]): SQL {
  return and(sql`1`, ...words.map((word) => foldedContains(text, word))) as SQL
}

export function allPhrases(words: string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')
}
