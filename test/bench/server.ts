import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const probe = new URL('./probe.mjs', import.meta.url).href

/** The service is started as `npm start` starts it. */
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }
const memory = scripts.start.match(/--\S+/g) ?? []
const variables = Object.fromEntries([...scripts.start.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))

/** What a process has used so far: milliseconds of processor time, the most memory in bytes, the longest turn of its event loop. */
export interface Usage {
  cpu: number
  peak: number
  blocked: { cpu: number; wall: number }
}

export type Server = Awaited<ReturnType<typeof startServer>>

/** Starts a server as a process of its own, on a free port of this machine, and waits for its ready line. */
export async function startServer(script: string, environment: Record<string, string>, imports: string[] = []) {
  const flags = [probe, ...imports].flatMap((name) => ['--import', name])
  const [file, env] = [
    fileURLToPath(new URL(script, import.meta.url)),
    { ...process.env, ...variables, HOST: '127.0.0.1', PORT: '0', ...environment },
  ]
  const began = performance.now()
  const child = spawn(process.execPath, [...memory, ...profiling(script), ...flags, file], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  process.once('exit', () => child.kill())
  const origin = await readyLine(child)
  return {
    origin,
    pid: child.pid as number,
    startedIn: () => performance.now() - began,
    usage: (question = 'how much') => ask(child, question),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

/** `CPU_PROFILE=<folder>` keeps a profile of the service there. */
function profiling(script: string): string[] {
  const folder = process.env.CPU_PROFILE
  return folder && script.includes('dist') ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
}

function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      if (printed === 'read') return
      printed += chunk
      const found = /^listening on (\S+)$/m.exec(printed)
      if (found) resolve(found[1] as string)
      if (found) printed = 'read'
    })
    child.once('exit', () => reject(new Error(`it did not start:\n${printed}`)))
  })
}

async function ask(child: ChildProcess, question: string): Promise<Usage> {
  child.send(question)
  const [answer] = await once(child, 'message')
  return answer as Usage
}
