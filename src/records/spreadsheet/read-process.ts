// Started by read.ts: `read-process <file> <sheet>` writes the rows of a sheet, the first one with a table if none is named, into file 3 and says on standard output what they are.
import { readRows } from './read-rows.ts'

// Nobody is left to read it for when the service has ended.
process.stdin.once('end', () => process.exit()).resume()
const answer = await readRows(process.argv[2] as string, 3, process.argv[3])
process.stdout.write(JSON.stringify(answer), () => process.exit())
