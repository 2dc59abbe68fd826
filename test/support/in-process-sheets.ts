import processes, { type SpawnOptions } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import type t from 'tap'
import { readRows } from '../../src/records/spreadsheet/read-rows.ts'

const { spawn } = processes

// Spreadsheets are read by the module of their process, but in this one: to start one takes longer than most sheets do.
replaceSpawn(((command: string, args: string[], options: SpawnOptions) =>
  args.some((arg) => /read-process\.ts$/.test(arg)) ? readHere(args, options) : spawn(command, args, options)) as typeof spawn)
const { spawn: here } = processes

/** Spreadsheets are read as the service does, in a process with limits. */
export function readInProcesses({ teardown }: Pick<typeof t, 'teardown'>): void {
  replaceSpawn(spawn)
  teardown(() => replaceSpawn(here))
}

function readHere(args: string[], { stdio }: SpawnOptions): object {
  const stdout = new Readable({ read: () => {} })
  const child = Object.assign(new EventEmitter(), { stdout, kill: () => {} })
  readRows(args.at(-2) as string, stdio?.[3] as number, args.at(-1)).then((answer) => {
    stdout.push(JSON.stringify(answer))
    stdout.push(null)
    child.emit('close', 0)
  })
  return child
}

function replaceSpawn(replacement: typeof spawn): void {
  processes.spawn = replacement
  syncBuiltinESMExports()
}
