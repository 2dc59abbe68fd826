// `npm run security-log -- [--since YYYY-MM-DD]`: prints the security log as JSON lines, oldest first, while the service runs or not.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { readConfig } from '../config.ts'
import { fail, runCommand, usage } from './command-line.ts'

await runCommand('security-log', () => {
  const { values } = parseArgs({ options: { since: { type: 'string' } } })
  const since = values.since === undefined ? 0 : Date.parse(values.since)
  if (Number.isNaN(since)) fail(`Usage: ${usage['security-log']}`)
  const client = new Sqlite(join(readConfig(process.env).dataDir, 'cabinet.sqlite'), { readonly: true, fileMustExist: true })
  const events = client.prepare('select * from security_events where at >= ? order by id').iterate(since)
  for (const event of events as Iterable<{ at: number }>)
    process.stdout.write(`${JSON.stringify({ ...event, at: new Date(event.at).toISOString() })}\n`)
  client.close()
})
