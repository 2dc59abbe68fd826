import { join, resolve } from 'node:path'
import { BackupError } from '../backup/database.ts'
import { databaseName } from '../backup/files.ts'
import { ConfigError, readConfig } from '../config.ts'
import { type Database, openDatabase } from '../database/open.ts'
import { versionText } from '../version.ts'

export const usage = {
  start:
    'npm start [-- --version | --help]\nMigrates the database and serves the cabinet. Settings come from the environment: see README.md.',
  doctor: 'npm run doctor\nChecks settings, data, search, email, disk and clock, and says what to do. The service may run.',
  backup: 'npm run backup -- <target folder>\nWrites a verified copy of all data. The service may run.',
  restore:
    'npm run restore -- <backup> <data folder> [--force]\nVerifies a backup and puts it in place; --force moves existing data aside. Stop the service first.',
  'replicate-files':
    'npm run replicate-files -- <replica folder>\nKeeps a copy of uploads and keys beside a replica of the database, until it is stopped. The service may run.',
  reindex: 'npm run reindex\nRebuilds the search indexes and counters from the records. Stop the service first.',
  'rotate-key':
    'npm run rotate-key [-- --now]\nSeals session cookies with a new key from the next start on; --now revokes a leaked key and ends every session.',
  'reset-second-factor': 'npm run reset-second-factor -- <email>\nTurns off the second factor of an account. The service may run.',
  'security-log': 'npm run security-log [-- --since YYYY-MM-DD]\nPrints the security log as JSON lines. The service may run.',
} as const

export function answerHelp(command: keyof typeof usage): void {
  if (process.argv.includes('--version')) printAndExit(versionText)
  if (process.argv.includes('--help')) printAndExit(`Usage: ${usage[command]}${command === 'start' ? `\n\n${otherCommands()}` : ''}`)
}

function otherCommands(): string {
  const { start, ...others } = usage
  return Object.values(others).join('\n\n')
}

function printAndExit(text: string): never {
  console.log(text)
  process.exit(0)
}

/** Runs a command that may ask for help, and ends with one line where the settings or a backup are at fault. */
export async function runCommand(command: keyof typeof usage, work: () => void | Promise<void>): Promise<void> {
  answerHelp(command)
  try {
    await work()
  } catch (error) {
    fail(error)
  }
}

export function openOwnDatabase(): Database {
  return openDatabase(join(readConfig(process.env).dataDir, databaseName))
}

/** Resolves a path against the folder the person typed it in: npm changes the working directory. */
export function pathOf(argument: string): string {
  return resolve(process.env.INIT_CWD ?? '.', argument)
}

export function fail(problem: unknown): never {
  const ours = problem instanceof BackupError || problem instanceof ConfigError
  console.error(ours ? problem.message : problem)
  process.exit(1)
}
