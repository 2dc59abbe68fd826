import { existsSync, statSync } from 'node:fs'
import { and, eq, or, sql } from 'drizzle-orm'
import { documents, orderHistory, prepareOnce } from '../../../database/index.ts'
import { whomAllows } from '../../../http/access/permitted-people.ts'
import { storedPath } from '../../../http/uploads/folder.ts'
import type { FindStepFiles } from '../../notifications/step-files.ts'
import { documentAccess } from './access.ts'
import { documentFileName, selectDocuments } from './document.ts'

/** What a step issued, or found issued already, as long as it holds, for those who may see it. */
export const filesOfStep: FindStepFiles = ({ db, config }, { history_id, user_id }, t) =>
  ofStep(db)
    .all({ id: history_id })
    .filter((document) => whomAllows(db, documentAccess.view, document, [user_id]).length > 0)
    .flatMap((document) => {
      const path = storedPath(config.dataDir, document.file)
      if (!existsSync(path)) return []
      const filename = documentFileName(document, t)
      return [{ filename, path, contentType: 'application/pdf', size: statSync(path).size, address: `/documents/${document.id}/file` }]
    })

const ofStep = prepareOnce((db, params) => {
  const order = sql`(select order_id from ${orderHistory} where ${orderHistory.id} = ${params.id})`
  const held = sql`${documents.file} in (select filled.value from ${orderHistory}, json_each(${orderHistory.filled}) as filled
    where ${orderHistory.id} = ${params.id})`
  return selectDocuments(db)
    .where(and(eq(documents.order_id, order), eq(documents.state, 'issued'), or(eq(documents.issued_by_step, params.id), held)))
    .orderBy(documents.id)
    .prepare()
})
