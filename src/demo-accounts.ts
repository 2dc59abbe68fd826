import type Sqlite from 'better-sqlite3'
import { allowsDemo, type Config, ConfigError } from './config.ts'
import { sampleAccounts, samplePassword } from './database/sample/accounts.ts'
import { verifyPassword } from './http/access/password-hashing.ts'

export function hasSample(client: Sqlite.Database): boolean {
  return client.prepare("select 1 from seeded where name = 'sample'").get() !== undefined
}

/** Throws a ConfigError that says what to do where others may reach the service and anybody could sign in with the demo password. */
export async function refuseOpenDemoAccounts(config: Config, client: Sqlite.Database): Promise<void> {
  if (allowsDemo(config)) return
  const [first, ...others] = await findOpenDemoAccounts(client)
  if (first === undefined) return
  const names = others.length > 0 ? `${first} and ${others.length} more` : first
  throw new ConfigError(
    `DATA_DIR: ${JSON.stringify(config.dataDir)} holds demo accounts that anybody can use with the password ${samplePassword} (${names}), so start once with HOST=127.0.0.1 and without NODE_ENV, TRUST_PROXY and DEMO, delete or deactivate them or give them other passwords, or choose an empty folder`,
  )
}

/** Emails of active people of the demo data who still have its password. */
async function findOpenDemoAccounts(client: Sqlite.Database): Promise<string[]> {
  if (!hasSample(client)) return []
  const open: string[] = []
  for (const { password, emails } of sharedPasswords(client))
    if (await verifyPassword(password, samplePassword)) open.push(...JSON.parse(emails))
  return open
}

/** Demo people are created with one hash: only theirs need checking, which takes as long as a few sign-ins. */
function sharedPasswords(client: Sqlite.Database): { password: string; emails: string }[] {
  const known = JSON.stringify(sampleAccounts.map(({ email }) => email))
  const hashes = client.prepare<[string], { password: string; emails: string }>(
    `select password, json_group_array(email order by id) as emails from users where active = 1 and password <> ''
      group by password having count(*) > 1 or max(email in (select value from json_each(?))) order by min(id)`,
  )
  return hashes.all(known)
}
