import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type t from 'tap'
import { encode, type Fields } from './cabinet.ts'

type Test = Pick<typeof t, 'teardown'>
type Environment = Record<string, string>

const root = fileURLToPath(new URL('../../', import.meta.url))
const timeout = 180_000

// Does nothing when the runner has just built it.
execFileSync(process.execPath, ['src/commands/build.mjs'], { cwd: root })

export function temporaryFolder(test: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-service-'))
  test.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Node without a wrapper, so that signals reach the service; the process gets only these settings. */
function launch(environment: Environment, file = 'main.js', args: string[] = []) {
  const { PATH = '', HOME = '', TMPDIR = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [`dist/${file}`, ...args], {
    cwd: root,
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...environment },
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (written.stdout += chunk))
  child.stderr.on('data', (chunk) => (written.stderr += chunk))
  return { child, written, ended: new Promise<number | null>((resolve) => child.once('close', resolve)) }
}

/** Runs the service, which is expected to end by itself. */
export async function runService(environment: Environment, ...args: string[]): Promise<{ code: number | null; lines: string[] }> {
  const { code, text } = await runToEnd(launch(environment, 'main.js', args))
  return { code, lines: linesOf(text) }
}

/** Runs a command such as `backup`. */
export function runCommand(
  name: string,
  args: string[] = [],
  environment: Environment = {},
): Promise<{ code: number | null; text: string }> {
  return runToEnd(launch(environment, `commands/${name}.js`, args))
}

async function runToEnd({ child, written, ended }: ReturnType<typeof launch>): Promise<{ code: number | null; text: string }> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout)
  const code = await ended
  clearTimeout(timer)
  return { code, text: written.stdout + written.stderr }
}

export async function startService(test: Test, environment: Environment) {
  const { child, written, ended } = launch({ PORT: '0', ...environment })
  test.teardown(() => stop(child, ended))
  const address = await waitUntilListening(child, written)
  return {
    address,
    printed: () => linesOf(written.stdout).filter((line) => !line.startsWith('{')),
    log: () => [...linesOf(written.stdout).filter((line) => line.startsWith('{')), ...linesOf(written.stderr)],
    stop: () => stop(child, ended),
    /** Like a power failure. */
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
    ...createClient(new URL(address)),
  }
}

async function waitUntilListening(child: ChildProcess, written: { stdout: string; stderr: string }): Promise<string> {
  for (const end = Date.now() + timeout; Date.now() < end; await pause(20)) {
    const found = /^listening on (\S+)$/m.exec(written.stdout)
    if (found) return found[1] as string
    if (child.exitCode !== null) break
  }
  throw new Error(`the service did not start:\n${written.stdout}${written.stderr}`)
}

async function stop(child: ChildProcess, ended: Promise<number | null>): Promise<number | null> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout)
  const code = await ended
  clearTimeout(timer)
  return code
}

function createClient({ origin }: URL) {
  let cookie = ''
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(origin + path, { redirect: 'manual', ...init, headers: { cookie, ...(init.headers as Environment) } })
    for (const line of answer.headers.getSetCookie()) cookie = line.split(';')[0] as string
    return { status: answer.status, location: answer.headers.get('location'), body: await answer.text() }
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  return {
    cookie: () => cookie,
    get: (path: string) => send(path),
    post: (path: string, fields: Fields) => send(path, { method: 'POST', headers: form, body: encode(fields) }),
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
