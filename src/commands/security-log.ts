// `npm run security-log -- [--since YYYY-MM-DD]`: prints the security log as JSON lines, oldest first, while the service runs or not.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { readConfig } from '../config.ts'
import { fail, runCommand, usage } from './command-line.ts'

await runCommand('security-log', () => {
  const { values } = parseArgs({ options: { since: { type: 'string' } } })
  const since = values.since === undefined ? 0 : startOfDay(values.since)
  const client = new Sqlite(join(readConfig(process.env).dataDir, 'cabinet.sqlite'), { readonly: true, fileMustExist: true })
  const events = client.prepare('select * from security_events where at >= ? order by id').iterate(since)
  for (const event of events as Iterable<{ at: number }>)
    process.stdout.write(`${JSON.stringify({ ...event, at: new Date(event.at).toISOString() })}\n`)
  client.close()
})

/** By the clock of the service: without a time, a date is one of Greenwich. */
function startOfDay(date: string): number {
  const start = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00`) : Number.NaN
  return Number.isNaN(start) ? fail(`Usage: ${usage['security-log']}`) : start
}
