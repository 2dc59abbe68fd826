import { asc, eq, gt, like } from 'drizzle-orm'
import { sanitizeDescription, sanitizerVersion } from '../../core/sanitize.ts'
import { type Database, news, seeded, write } from '../../database/index.ts'

/** Sanitizes stored articles again after a change of the allow-list or of our names, so that nothing let through before is served. */
export function resanitizeNews(db: Database, ownHosts: readonly string[]): void {
  const name = `news shown ${sanitizerVersion} ${ownHosts.join()}`
  if (db.select().from(seeded).where(eq(seeded.name, name)).get()) return
  write(db, () => {
    for (let batch = readBatch(db, 0); batch.length > 0; batch = readBatch(db, batch.at(-1)?.id ?? 0))
      for (const { id, description } of batch) db.update(news).set(sanitizeDescription(description, ownHosts)).where(eq(news.id, id)).run()
    db.delete(seeded).where(like(seeded.name, 'news shown %')).run()
    db.insert(seeded).values({ name, at: Date.now() }).run()
  })
}

function readBatch(db: Database, after: number) {
  const articles = db.select({ id: news.id, description: news.description }).from(news)
  return articles.where(gt(news.id, after)).orderBy(asc(news.id)).limit(100).all()
}
