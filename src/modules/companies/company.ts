import { eq, sql } from 'drizzle-orm'
import { allows, group } from '../../core/access.ts'
import { companies, prepareOnce } from '../../database/index.ts'
import type { FindRecord } from '../../web/http.ts'
import type { AttachmentSource } from '../../web/uploads/attachments.ts'
import { may } from './access.ts'

export type Company = typeof companies.$inferSelect

const byId = prepareOnce((db, given) => db.select().from(companies).where(eq(companies.id, given.id)).prepare())

export const findCompany: FindRecord<Company> = (db, id) => byId(db).get({ id })

export function companyLabel(row: object): string {
  return (row as { org: string }).org
}

/** Dealers never get company files, whatever policies they have. */
export const companyAttachments: AttachmentSource = (db, key) =>
  db
    .select()
    .from(companies)
    .where(sql`instr(${companies.files}, ${key}) > 0`)
    .all()
    .flatMap((company) =>
      company.files
        .filter((entry) => entry.file === key)
        .map(({ name }) => ({
          record: { entity: 'companies', id: company.id },
          name,
          mayRead: (actor) => actor.group_id !== group.dealer && allows(may.view, actor, company),
        })),
    )
