import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { and, eq, isNotNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { bestEffort, type Database, jobs, notifications, write } from '../../database/index.ts'
import { contextFor } from '../../http/access/context-for.ts'
import { takeTurn } from '../../http/access/two-at-a-time.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { incomingFolder } from '../../http/uploads/folder.ts'
import { type AwaitedKind, addJob, type Job } from '../jobs/job.ts'
import { type ExportJob, type LoadRows, type Progress, writeSpreadsheet } from './write.ts'

declare module 'fastify' {
  interface FastifyInstance {
    exports: {
      /** What was begun before it became a job, by the subject of that. */
      begun: Map<string, BegunExport>
    }
  }
}

/** What a thread writes by itself. */
type PlainSheet = Omit<ExportJob, 'file' | 'database'>

interface BegunExport {
  written: Promise<string | undefined>
  progress: Progress
  canceled: AbortController
}

export const exportsPlugin = fp(async (app: FastifyInstance) => {
  app.decorate('exports', { begun: new Map() })
  app.registry.jobKinds.set('export', exportJob)
})

const spreadsheets = { pause: 15, message: '{max} spreadsheets are being made for you. Try again after {time}.' }

/** Begins a spreadsheet for a person, whoever they act as, unless enough are being made for them. */
export function beginForPerson(context: Context, sheet: PlainSheet, load?: LoadRows): BegunExport {
  const end = takeTurn(context, spreadsheets)
  const begun = begin(context.server, sheet, load)
  begun.written.then(end, end)
  return begun
}

function begin({ config, db }: FastifyInstance, sheet: PlainSheet, load?: LoadRows): BegunExport {
  const progress = { done: 0, total: 1 }
  const canceled = new AbortController()
  const whole = { ...sheet, database: db.$client.name, load }
  const tell = (told: Progress) => void Object.assign(progress, told)
  return { progress, canceled, written: writeSpreadsheet(whole, incomingFolder(config.dataDir), canceled.signal, tell) }
}

interface Exported {
  /** What is left to write. */
  sheet?: string
  file?: string
  file_name: string
}

/** A spreadsheet that takes longer than somebody waits for becomes a job, of which this is the address. */
export function goOnAsJob(context: Context, list: string, begun: BegunExport, sheet: PlainSheet, file_name: string): string {
  const { db, exports } = context.server
  const subject = `export ${randomUUID()}`
  const payload: Exported = { sheet: serialize(sheet).toString('base64'), file_name }
  const address = write(db, () => addJob(context, { kind: 'export', list, subject, total: 1, payload }))
  exports.begun.set(subject, begun)
  return address
}

/** After a restart the spreadsheet is begun anew. It holds what its person could see when they asked for it. */
const exportJob: AwaitedKind<Exported> = {
  async work(app, job, signal) {
    const { server } = contextFor(app, job.author, job.authenticated_at)
    const { written, progress, canceled } = takeBegun(server, job)
    const cancel = () => canceled.abort()
    signal.addEventListener('abort', cancel)
    const timer = setInterval(() => bestEffort(() => noteProgress(server.db, job, progress)), 500)
    try {
      const path = await written
      if (!path) throw new Error('a spreadsheet was given up')
      return () => noteFile(server.db, job, progress, basename(path))
    } finally {
      clearInterval(timer)
    }
  },
  end({ exports: { begun } }, { subject, payload: { file, file_name } }, state) {
    if (state !== 'stopped') return { event: file ? 'export-ready' : 'export-failed', file, file_name }
    begun.get(subject as string)?.canceled.abort()
    begun.delete(subject as string)
  },
  links({ server }, { id, list }) {
    const kept = and(eq(notifications.job_id, id), isNotNull(notifications.file))
    const notice = server.db.select({ id: notifications.id }).from(notifications).where(kept).get()
    return { back: url(server, `/${list}`), file: notice && url(server, `/notifications/${notice.id}/file`) }
  },
}

function takeBegun(app: FastifyInstance, { subject, payload }: Job<Exported>): BegunExport {
  const begun = app.exports.begun.get(subject as string)
  app.exports.begun.delete(subject as string)
  return begun ?? begin(app, deserialize(Buffer.from(payload.sheet as string, 'base64')))
}

function noteProgress(db: Database, { id }: Job, { done, total }: Progress): void {
  db.update(jobs)
    .set({ done, total: Math.max(total, 1) })
    .where(eq(jobs.id, id))
    .run()
}

function noteFile(db: Database, { id, payload: { file_name } }: Job<Exported>, { total }: Progress, file: string): undefined {
  noteProgress(db, { id } as Job, { done: Math.max(total, 1), total })
  const payload: Exported = { file, file_name }
  db.update(jobs).set({ payload }).where(eq(jobs.id, id)).run()
}
