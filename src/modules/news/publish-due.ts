import { and, isNotNull, lt, sql } from 'drizzle-orm'
import { publish } from '../../core/publication.ts'
import { bestEffort, changes, type Database, news, prepareOnce, systemName, write } from '../../database/index.ts'

export function publishDue(db: Database): void {
  const now = Date.now()
  if (!anyDue(db).get(now)) return
  bestEffort(() =>
    write(db, () => {
      recordPublication(db, now)
      const version = sql`${news.version} + 1`
      const published = { ...publish(now), version, updated_at: now }
      db.update(news).set(published).where(dueCondition(now)).run()
    }),
  )
}

function dueCondition(now: number) {
  return and(sql`published = 0`, isNotNull(news.publishedon), lt(news.publishedon, now))
}

// Without the hint SQLite would scan all drafts.
const anyDue = prepareOnce((db) =>
  db.$client.prepare('select 1 from news indexed by news_due where published = 0 and publishedon is not null and publishedon < ? limit 1'),
)

function recordPublication(db: Database, now: number): void {
  db.run(sql`insert into ${changes} (at, actor_name, action, entity, record_id, record_version, label, search, fields)
    select ${now}, ${systemName}, 'update', 'news', ${news.id}, ${news.version} + 1, ${news.name}, fold(concat_ws(char(10), ${news.name}, ${systemName})),
      json_object('published', json('[false,true]'), 'publishedon', json_array(${news.publishedon}, ${now}))
    from ${news} where ${dueCondition(now)}`)
}
