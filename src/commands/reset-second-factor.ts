import { eq } from 'drizzle-orm'
import { logSecurityEvent, users, write } from '../database/index.ts'
import { deleteFactor } from '../modules/session/second-factor/factor.ts'
import { fail, openOwnDatabase, runCommand, usage } from './command-line.ts'

await runCommand('reset-second-factor', () => {
  const [email, ...rest] = process.argv.slice(2)
  if (!email || rest.length > 0) fail(`Usage: ${usage['reset-second-factor']}`)
  const db = openOwnDatabase()
  const author = { id: null, name: 'npm run reset-second-factor' }
  const reset = write(db, () => {
    const accounts = db.select().from(users).where(eq(users.email, email)).all()
    const changed = accounts.filter(({ id }) => deleteFactor(db, id))
    for (const user of changed) logSecurityEvent(db, { event: 'factor-changed', author, user, detail: 'off' })
    return changed.length
  })
  db.$client.close()
  if (reset === 0) fail(`No account with the email ${email} has a second factor.`)
  console.log('The second factor is off. The user signs in with their password and can set it up again.')
})
