import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, Browser, Cabinet } from './cabinet.ts'

/** The key of an upload is the hash of its content. */
export const keyOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

/** The name of every file in the folder of uploads, including copies of pictures and unfinished uploads. */
export function filesOf({ app }: Pick<Cabinet, 'app'>): string[] {
  const folder = join(app.config.dataDir, 'files')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []))
}

/** Submits a form with files as a browser does. */
export async function submitForm(browser: Browser, path: string, fields: Iterable<[string, string | File]>, headers = {}): Promise<Answer> {
  const boundary = crypto.randomUUID()
  const parts: (string | Uint8Array)[] = []
  for (const [name, value] of fields) {
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"`)
    if (typeof value === 'string') parts.push(`\r\n\r\n${value.replace(/\r?\n|\r/g, '\r\n')}`)
    else {
      parts.push(`; filename="${quoted(value.name)}"\r\nContent-Type: ${value.type || 'application/octet-stream'}\r\n\r\n`)
      parts.push(await value.bytes())
    }
    parts.push('\r\n')
  }
  const body = Buffer.concat([...parts, `--${boundary}--\r\n`].map((part) => Buffer.from(part as string)))
  return browser.send('POST', path, { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` }, body as never)
}

const quoted = (name: string) => name.replace(/\r?\n|\r/g, '%0D%0A').replaceAll('"', '%22')
