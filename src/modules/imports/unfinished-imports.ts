import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { importParts, imports } from '../../database/schema/index.ts'
import { translator } from '../../i18n/translate.ts'
import { personReader } from '../../web/access/person-reader.ts'
import { revertParts } from './import-sheet.ts'
import type { Target } from './target.ts'

/** Takes back at the start what the end of the process has interrupted: nothing stays half imported or half undone. */
export async function finishImports(app: FastifyInstance, targets: Target[]): Promise<void> {
  const findPerson = personReader(app.db)
  const unfinished = app.db.selectDistinct({ id: importParts.import_id, action: importParts.action }).from(importParts).all()
  for (const { id, action } of unfinished) {
    const sheet = app.db.select().from(imports).where(eq(imports.id, id)).get()
    const target = targets.find(({ card }) => card.list === sheet?.list)
    const actor = sheet && findPerson(sheet.user_id)
    if (!sheet || !target || !actor) continue
    app.log.warn({ import: id, action }, 'an interrupted import, or undo of one, is taken back')
    // All that saving asks of a request.
    const request = { server: app, actor, t: translator('en'), language: 'en', ip: '', headers: {}, authenticatedAt: Date.now() }
    await revertParts(request as unknown as FastifyRequest, target, id)
  }
}
