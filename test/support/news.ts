import { eq } from 'drizzle-orm'
import { news } from '../../src/database/schema/index.ts'
import { createNews } from '../../src/modules/news/news.ts'
import { startCabinet } from './cabinet.ts'

export const author = { id: null, name: 'The test' }

/** A cabinet with a function that adds articles, and the users who read and write them. */
export async function startWithNews(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const { db, as } = cabinet
  const add = (values: Partial<typeof news.$inferInsert> = {}) => {
    const { name = 'Message', description = '<p>Text</p>' } = values
    const id = createNews(db, { name, description, published: false }, author)
    db.update(news)
      .set({ name, ...values })
      .where(eq(news.id, id))
      .run()
    return id
  }
  const stored = (id: number) => db.select().from(news).where(eq(news.id, id)).get()
  const [root, clerk, denis, pavel, plain] = await Promise.all([as('root'), as('clerk'), as('denis'), as('pavel'), as('plain')])
  return { ...cabinet, cabinet, add, stored, root, clerk, denis, pavel, plain }
}
