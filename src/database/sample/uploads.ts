import { asc, eq, ne } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import type { Database } from '../open.ts'
import { uploads, users } from '../schema/index.ts'
import { firstDay } from './calendar.ts'
import type { SampleFiles } from './files.ts'
import { isWomansPortrait } from './portraits.ts'

export function addPortraits(db: Database, { portraits }: SampleFiles): void {
  const [women, men] = [true, false].map((wanted) => portraits.filter((_, index) => isWomansPortrait(index) === wanted))
  const people = db.select().from(users).where(ne(users.group_id, group.dealer)).orderBy(asc(users.id)).all()
  for (const { id, name } of people) {
    const image = (/[ая]$/.test(name) ? women : men)?.shift()
    if (image) db.update(users).set({ image }).where(eq(users.id, id)).run()
  }
}

export function claimUploads(db: Database): void {
  const admin = db.select({ id: users.id }).from(users).where(eq(users.superadmin, true)).get()
  db.update(uploads).set({ user_id: admin?.id, at: firstDay }).where(eq(uploads.user_id, 0)).run()
}
