import { type Config, ConfigError, configWarnings, readConfig } from '../config.ts'
import { createMailTransport } from '../web/operations/send-mail.ts'
import { checkDataFolder, checkDiskSpace } from './data-folder.ts'
import { checkClock, checkIntegrity, checkSchema, checkSearch } from './database.ts'

export interface Check {
  name: string
  run(config: Config): string | Promise<string>
}

export interface CheckResult {
  name: string
  detail?: string
  problem?: string
}

const checks: Check[] = [
  { name: 'data folder', run: ({ dataDir }) => checkDataFolder(dataDir) },
  { name: 'disk space', run: ({ dataDir }) => checkDiskSpace(dataDir) },
  { name: 'database', run: ({ dataDir }) => checkIntegrity(dataDir) },
  { name: 'schema', run: ({ dataDir }) => checkSchema(dataDir) },
  { name: 'search indexes', run: ({ dataDir }) => checkSearch(dataDir) },
  { name: 'clock', run: ({ dataDir, timeZone }) => checkClock(dataDir, timeZone) },
  { name: 'mail', run: checkMail },
]

/** Checks an installation as its settings describe it; changes nothing and sends nothing. */
export async function runChecks(environment: NodeJS.ProcessEnv): Promise<CheckResult[]> {
  const settings = readSettings(environment)
  if (!settings.config) return [settings.result]
  const results = [settings.result]
  for (const check of checks) results.push(await runCheck(check, settings.config))
  return results
}

function readSettings(environment: NodeJS.ProcessEnv): { result: CheckResult; config?: Config } {
  try {
    const config = readConfig(environment)
    const warnings = configWarnings(config)
    return { config, result: { name: 'settings', detail: 'readable and complete', problem: warnings.join('; ') || undefined } }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { result: { name: 'settings', problem: error.message } }
  }
}

async function runCheck({ name, run }: Check, config: Config): Promise<CheckResult> {
  try {
    return { name, detail: await run(config) }
  } catch (error) {
    return { name, problem: (error as Error).message }
  }
}

async function checkMail({ mail }: Config): Promise<string> {
  if (!mail) return 'not configured: SMTP_URL is not set, so no email is sent'
  const transport = await createMailTransport(mail)
  try {
    await transport.verify()
    return `the server accepts email from ${mail.from}`
  } catch (error) {
    throw new Error(`the server rejects email (${(error as Error).message}): check SMTP_URL and SMTP_TLS`)
  } finally {
    transport.close()
  }
}
