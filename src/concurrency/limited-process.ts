import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { moduleAt } from '../root.ts'

interface Work {
  args: string[]
  /** A file descriptor that the process knows as 3. */
  file: number
  limits: { seconds: number; heapMegabytes: number; dataMegabytes: number }
}

/** What limits the heap does not hold for buffers: the shell sets a limit for both, and for the time of the processor. */
const withLimits = 'ulimit -c 0; ulimit -t "$1"; ulimit -d "$2"; echo 1000 >/proc/self/oom_score_adj; shift 2; exec nice "$@"'

/**
 * A process for what may be hostile: it has limits, none of our settings, gives way to the service, and is the first to end when memory
 * is short.
 * @param module its path from the folder of the program, without extension
 */
export function startLimitedProcess(module: string, { args, file, limits }: Work): ChildProcess {
  const script = fileURLToPath(moduleAt(module))
  const flags = [...process.execArgv, '--max-semi-space-size=2', `--max-old-space-size=${limits.heapMegabytes}`]
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const options: SpawnOptions = {
    stdio: ['pipe', 'pipe', 'ignore', file],
    env: { PATH, NODE_COMPILE_CACHE, MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '1' },
  }
  if (process.platform === 'win32') return spawn(process.execPath, [...flags, script, ...args], options)
  const numbers = [limits.seconds, limits.dataMegabytes * 1024].map(String)
  return spawn('/bin/sh', ['-c', withLimits, 'sh', ...numbers, process.execPath, ...flags, script, ...args], options)
}
