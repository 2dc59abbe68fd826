interface Result {
  file: string
  passed: number
  failures: { title: string; details: Record<string, unknown> }[]
  notes: string
  seconds: number
}

interface Worker {
  run(file: string): Promise<Result>
  stop(): Promise<void>
  isFit(): boolean
}

export function runFile(root: string, file: string, environment: NodeJS.ProcessEnv): Promise<Result>
export function startWorker(root: string, environment: NodeJS.ProcessEnv): Worker
