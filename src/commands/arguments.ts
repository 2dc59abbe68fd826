import { resolve } from 'node:path'
import { BackupError } from '../backup/database.ts'
import { ConfigError } from '../config.ts'

/** A path as the person typed it, seen from where they typed it: npm changes the folder. */
export function pathOf(argument: string): string {
  return resolve(process.env.INIT_CWD ?? '.', argument)
}

/** Ends the command with one line, or with the whole error where it is none that we know. */
export function fail(problem: unknown): never {
  const ours = problem instanceof BackupError || problem instanceof ConfigError
  console.error(ours ? problem.message : problem)
  process.exit(1)
}
