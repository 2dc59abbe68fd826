import { eq } from 'drizzle-orm'
import type { Database } from '../open.ts'
import { settings } from '../schema/index.ts'
import { readContent } from './content.ts'

/** The plant whose cabinet it is: what its order sheets name as supplier. */
export function addSupplier(db: Database): void {
  const supplier = readContent<Partial<typeof settings.$inferInsert>>('supplier')
  db.update(settings).set(supplier).where(eq(settings.id, 1)).run()
}
