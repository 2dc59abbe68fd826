import { lt, or } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { bin, keptForms, notifications, sessions, submissions } from '../database/schema/index.ts'
import { keptSince } from './kept-forms.ts'
import { forgottenSince } from './session.ts'
import { sweepUploads } from './uploads/sweep.ts'

const hour = 3600_000
const soon = 60_000
const day = 24 * hour

/** For how many days what was deleted can be restored. */
export const binDays = 30

/** What was deleted before this moment is gone for good. */
export const restorableSince = () => Date.now() - binDays * day

/** Once an hour, throws away what nobody can reach any more: unnamed files, dead sessions, forms sent long ago. */
export const housekeepingPlugin = fp(async (app: FastifyInstance) => {
  const closing = new AbortController()
  let running = Promise.resolve()
  const sweep = () => {
    running = running.then(() => tidy(app, closing.signal)).catch((error) => app.log.error({ err: error }, 'housekeeping failed'))
  }
  let timers: NodeJS.Timeout[] = []
  app.addHook('onReady', async () => {
    timers = [setTimeout(sweep, soon).unref(), setInterval(sweep, hour).unref()]
  })
  app.addHook('onClose', async () => {
    closing.abort()
    timers.forEach(clearTimeout)
    await running
  })
})

async function tidy(app: FastifyInstance, closing: AbortSignal): Promise<void> {
  forgetOldRows(app)
  await sweepUploads(app, closing)
}

/** Sessions that have run out long ago, forms that nobody sends again after a day or came back for, what nobody restored in time, notifications read half a year ago. */
export function forgetOldRows({ db }: FastifyInstance): void {
  const { seen, created } = forgottenSince()
  db.delete(sessions)
    .where(or(lt(sessions.seen_at, seen), lt(sessions.created_at, created)))
    .run()
  db.delete(submissions)
    .where(lt(submissions.at, Date.now() - day))
    .run()
  db.delete(keptForms).where(lt(keptForms.at, keptSince())).run()
  db.delete(bin).where(lt(bin.at, restorableSince())).run()
  db.delete(notifications)
    .where(lt(notifications.read_at, Date.now() - 180 * day))
    .run()
}
