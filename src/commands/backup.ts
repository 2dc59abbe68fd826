// `npm run backup -- <target folder>`: works with or without a running service.
import { makeBackup } from '../backup/make-backup.ts'
import { readConfig } from '../config.ts'
import { fail, pathOf, runCommand, usage } from './command-line.ts'

await runCommand('backup', async () => {
  const [target, ...rest] = process.argv.slice(2)
  if (!target || rest.length > 0) fail(`Usage: ${usage.backup}`)
  const { dataDir } = readConfig(process.env)
  const made = await makeBackup(dataDir, pathOf(target))
  console.log(`${made.folder}: the database and ${made.files} files, ${(made.bytes / 1024 ** 2).toFixed(1)} MB, checked`)
  if (made.missing.length > 0) fail(`${made.missing.length} files were lost in ${dataDir} before: ${made.missing.join(' ')}`)
})
