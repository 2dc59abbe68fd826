import { startOf } from './file-type.ts'
import type { TemporaryFile } from './store.ts'

/** What runs when somebody opens it: on Windows, macOS, Linux or Android, or as a script of one of them. */
const extensions =
  /\.(exe|com|scr|pif|cpl|msi|msp|mst|msix|appx|dll|sys|bat|cmd|ps1|psm1|vbs?|vbe|jse?|mjs|ws[fhc]?|sct|hta|chm|lnk|reg|jar|apk|dmg|pkg|iso|vhdx?|sh|bash|run|command|py|pyw|pl|rb|php)[. ]*$/i

/** Of Windows, Linux and macOS, and of a script that names what runs it. */
const beginnings = /^(MZ.*\0|\x7fELF|\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe|#!\s*\/)/s

/** By its name or, whatever that says, by its first bytes. */
export async function isProgram({ name, path }: TemporaryFile): Promise<boolean> {
  return extensions.test(name) || beginnings.test(await startOf(path))
}
