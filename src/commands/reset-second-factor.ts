import { eq } from 'drizzle-orm'
import { type Database, logSecurityEvent, users, write } from '../database/index.ts'
import { deletePasskeys } from '../modules/session/passkeys/passkey.ts'
import { deleteFactor } from '../modules/session/second-factor/factor.ts'
import type { User } from '../modules/users/user.ts'
import { fail, openOwnDatabase, runCommand, usage } from './command-line.ts'

const author = { id: null, name: 'npm run reset-second-factor' }

await runCommand('reset-second-factor', () => {
  const [email, ...rest] = process.argv.slice(2)
  if (!email || rest.length > 0) fail(`Usage: ${usage['reset-second-factor']}`)
  const db = openOwnDatabase()
  const reset = write(db, () => {
    const accounts = db.select().from(users).where(eq(users.email, email)).all()
    return accounts.filter((user) => resetFactors(db, user)).length
  })
  db.$client.close()
  if (reset === 0) fail(`No account with the email ${email} has a second factor or a passkey.`)
  console.log('The second factor is off and passkeys are removed. The user signs in with their password and can set them up again.')
})

function resetFactors(db: Database, user: User): boolean {
  const hadFactor = deleteFactor(db, user.id)
  const removed = deletePasskeys(db, user.id)
  if (hadFactor) logSecurityEvent(db, { event: 'factor-changed', author, user, detail: 'off' })
  for (const { name } of removed) logSecurityEvent(db, { event: 'passkey-removed', author, user, detail: name })
  return hadFactor || removed.length > 0
}
