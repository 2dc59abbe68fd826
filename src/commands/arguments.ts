import { resolve } from 'node:path'
import { BackupError } from '../backup/database.ts'
import { ConfigError } from '../config.ts'

/** Resolves a path against the folder the person typed it in: npm changes the working directory. */
export function pathOf(argument: string): string {
  return resolve(process.env.INIT_CWD ?? '.', argument)
}

export function fail(problem: unknown): never {
  const ours = problem instanceof BackupError || problem instanceof ConfigError
  console.error(ours ? problem.message : problem)
  process.exit(1)
}
