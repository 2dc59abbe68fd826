import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { pendingSubmissions, sessions } from '../database/index.ts'
import { rotateKey } from '../http/access/session-key.ts'
import { openOwnDatabase, runCommand } from './command-line.ts'

await runCommand('rotate-key', () => {
  const { values } = parseArgs({ options: { now: { type: 'boolean', default: false } } })
  rotateKey(readConfig(process.env).dataDir, values.now)
  if (values.now) endEverySession()
  console.log(
    values.now
      ? 'The old session keys are revoked, and everybody is signed out. Restart the service now.'
      : 'There is a new session key. Restart the service to use it; everybody stays signed in.',
  )
})

/** Sessions sealed with the old key end at once, before the restart too. */
function endEverySession(): void {
  const db = openOwnDatabase()
  db.delete(sessions).run()
  db.delete(pendingSubmissions).run()
  db.$client.close()
}
