import { and, isNotNull, lt, sql } from 'drizzle-orm'
import { publish } from '../../core/publication.ts'
import { type Database, write } from '../../database/open.ts'
import { prepared } from '../../database/prepared.ts'
import { changes, news } from '../../database/schema/index.ts'
import { ifPossible } from '../../database/trouble.ts'

/**
 * Rule 1: publishes the drafts whose time has come. Every reader calls it first; as long as nothing is due it costs one look
 * into an index that holds planned drafts only.
 */
export function publishDue(db: Database): void {
  const now = Date.now()
  if (!anyDue(db).get(now)) return
  ifPossible(() =>
    write(db, () => {
      writeHistory(db, now)
      db.update(news)
        .set({ ...publish(now), version: sql`${news.version} + 1`, updated_at: now })
        .where(due(now))
        .run()
    }),
  )
}

/** `isDue`, as the index of due drafts spells it. */
function due(now: number) {
  return and(sql`published = 0`, isNotNull(news.publishedon), lt(news.publishedon, now))
}

// Left to itself, SQLite would look through all drafts.
const anyDue = prepared((db) =>
  db.$client.prepare('select 1 from news indexed by news_due where published = 0 and publishedon is not null and publishedon < ? limit 1'),
)

/** How the history calls the cabinet itself. */
const cabinet = 'The cabinet'

/** Nobody did it: the history names the cabinet itself. */
function writeHistory(db: Database, now: number): void {
  db.run(sql`insert into ${changes} (at, actor_name, action, entity, record_id, record_version, label, search, fields)
    select ${now}, ${cabinet}, 'update', 'news', ${news.id}, ${news.version} + 1, ${news.name}, fold(concat_ws(char(10), ${news.name}, ${cabinet})),
      json_object('published', json('[false,true]'), 'publishedon', json_array(${news.publishedon}, ${now}))
    from ${news} where ${due(now)}`)
}
