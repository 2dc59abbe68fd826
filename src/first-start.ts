import { randomBytes } from 'node:crypto'
import { allowsDemo, type Config } from './config.ts'
import { group } from './core/access.ts'
import { type Database, seeded, write } from './database/index.ts'
import { sampleAccounts, samplePassword } from './database/sample/accounts.ts'
import { hasSample, refuseOpenDemoAccounts } from './demo-accounts.ts'
import { hashPassword } from './http/access/password-hashing.ts'
import { type Language, translator } from './i18n/translate.ts'
import { createAccount } from './modules/users/accounts.ts'
import { hasUsers } from './modules/users/user.ts'
import { firstStart } from './records/history/actor-name.ts'

interface FirstStart {
  sample: boolean
  /** Whether the sample data was loaded just now. */
  isNewSample?: boolean
  setupToken?: string
  lines: string[]
}

/**
 * Makes sure somebody can sign in to an empty database (decisions, first start): the configured administrator, otherwise sample data on
 * a developer's machine, otherwise a one-time link. Where others may reach the service, nobody may sign in with a demo password.
 */
export async function prepareFirstStart(config: Config, db: Database): Promise<FirstStart> {
  if (hasUsers(db)) return prepareLaterStart(config, db)
  if (config.admin) {
    await createAdministrator(db, config.admin, config.language)
    return { sample: false, lines: [`The superadministrator ${config.admin.email} has been created.`] }
  }
  if (allowsDemo(config)) {
    await seedSample(config, db)
    return { sample: true, isNewSample: true, lines: sampleLines }
  }
  return { sample: false, setupToken: randomBytes(24).toString('base64url'), lines: [] }
}

async function prepareLaterStart(config: Config, db: Database): Promise<FirstStart> {
  if (allowsDemo(config) && hasSample(db.$client)) return { sample: true, lines: sampleLines }
  await refuseOpenDemoAccounts(config, db.$client)
  return { sample: false, lines: [] }
}

const sampleLines = [
  `This is sample data. Sign in with the password ${samplePassword} as`,
  ...sampleAccounts.map(({ email, role }) => `  ${email.padEnd(25)}${role.toLowerCase()}`),
]

async function seedSample({ dataDir, language }: Config, db: Database): Promise<void> {
  const [{ loadSample }, { storeSampleFiles }] = [await import('./database/sample/load.ts'), await import('./sample-files.ts')]
  const [hash, files] = [await hashPassword(samplePassword), await storeSampleFiles({ db, dataDir }, language)]
  write(db, () => {
    loadSample(db, hash, files)
    db.insert(seeded).values({ name: 'sample', at: Date.now() }).run()
  })
}

/** Settings name no person: the profile asks for the names. */
async function createAdministrator(db: Database, admin: { email: string; password: string }, language: Language): Promise<void> {
  const password = await hashPassword(admin.password)
  const values = { email: admin.email, password, lastname: translator(language)('Administrator'), name: '', superadmin: true }
  write(db, () => createAccount(db, group.administrator, values, { id: null, name: firstStart }))
}
