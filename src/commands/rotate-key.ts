import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { pendingSubmissions, sessions } from '../database/schema/index.ts'
import { rotateKey } from '../web/access/session-key.ts'
import { fail } from './arguments.ts'
import { answerHelp } from './usage.ts'

answerHelp('rotate-key')
try {
  const { values } = parseArgs({ options: { now: { type: 'boolean', default: false } } })
  const { dataDir } = readConfig(process.env)
  rotateKey(dataDir, values.now)
  if (values.now) endEverySession(dataDir)
  console.log(
    values.now
      ? 'The old session keys are revoked, and everybody is signed out. Restart the service now.'
      : 'There is a new session key. Restart the service to use it; everybody stays signed in.',
  )
} catch (error) {
  fail(error)
}

/** Sessions sealed with the old key end at once, before the restart too. */
function endEverySession(dataDir: string): void {
  const db = openDatabase(join(dataDir, 'cabinet.sqlite'))
  db.delete(sessions).run()
  db.delete(pendingSubmissions).run()
  db.$client.close()
}
