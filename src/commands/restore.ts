// `npm run restore -- <backup> <data folder> [--force]`: no service may be running there.
import { restoreBackup } from '../backup/restore-backup.ts'
import { fail, pathOf, runCommand, usage } from './command-line.ts'

await runCommand('restore', async () => {
  const [backup, dataDir, ...rest] = process.argv.slice(2).filter((argument) => argument !== '--force')
  if (!backup || !dataDir || rest.length > 0) fail(`Usage: ${usage.restore}`)
  const { aside, missing } = await restoreBackup(pathOf(backup), pathOf(dataDir), process.argv.includes('--force'))
  console.log(`${pathOf(dataDir)}: restored and checked`)
  if (aside) console.log(`Existing data moved to ${aside}`)
  if (missing.length > 0) console.log(`${missing.length} files were already missing when this backup was made: ${missing.join(' ')}`)
})
