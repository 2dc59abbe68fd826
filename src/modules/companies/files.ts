import { sql } from 'drizzle-orm'
import { allows, group } from '../../core/access.ts'
import { companies } from '../../database/schema/index.ts'
import type { AttachmentSource } from '../../web/uploads/attachments.ts'
import { may } from './access.ts'

/** Dealers never get company files, whatever policies they have. */
export const companyAttachments: AttachmentSource = {
  find: (db, key) =>
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
      ),
}
