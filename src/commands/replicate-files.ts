// `npm run replicate-files -- <replica folder>`: goes on until it is stopped. The service runs beside it.
import { setTimeout as pause } from 'node:timers/promises'
import { fileReplica } from '../backup/file-replica.ts'
import { readConfig } from '../config.ts'
import { fail, pathOf, runCommand, usage } from './command-line.ts'

const interval = 1000

await runCommand('replicate-files', async () => {
  const [target, ...rest] = process.argv.slice(2)
  if (!target || rest.length > 0) fail(`Usage: ${usage['replicate-files']}`)
  const copyOnce = await fileReplica(readConfig(process.env).dataDir, pathOf(target))
  for (;;) {
    await copyOnce()
    await pause(interval)
  }
})
