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
export async function submitForm(browser: Browser, path: string, fields: Iterable<[string, string | File]>): Promise<Answer> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const body = new Response(form)
  const type = { 'content-type': body.headers.get('content-type') as string }
  return browser.send('POST', path, type, Buffer.from(await body.arrayBuffer()) as never)
}
