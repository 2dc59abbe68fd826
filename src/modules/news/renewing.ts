import { asc, eq, gt, like } from 'drizzle-orm'
import { harmlessEdition } from '../../core/harmless.ts'
import { type Database, write } from '../../database/open.ts'
import { news, planted } from '../../database/schema/index.ts'
import { shownForms } from './news.ts'

/** Works out anew what readers are shown, once for every edition of the allow-list: nothing that an older one let through is served. */
export function renewShown(db: Database): void {
  const name = `news shown ${harmlessEdition}`
  if (db.select().from(planted).where(eq(planted.name, name)).get()) return
  write(db, () => {
    for (let batch = readBatch(db, 0); batch.length > 0; batch = readBatch(db, batch.at(-1)?.id ?? 0))
      for (const { id, description } of batch) db.update(news).set(shownForms(description)).where(eq(news.id, id)).run()
    db.delete(planted).where(like(planted.name, 'news shown %')).run()
    db.insert(planted).values({ name, at: Date.now() }).run()
  })
}

function readBatch(db: Database, after: number) {
  return db
    .select({ id: news.id, description: news.description })
    .from(news)
    .where(gt(news.id, after))
    .orderBy(asc(news.id))
    .limit(100)
    .all()
}
