import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import jsqr from 'jsqr'
import sharp from 'sharp'
import type t from 'tap'
import { temporaryFolder } from './service.ts'

/** A PDF as another program reads it. */
export function readPdf(test: Pick<typeof t, 'teardown'>, bytes: Buffer) {
  const folder = temporaryFolder(test)
  const file = join(folder, 'document.pdf')
  writeFileSync(file, bytes)
  const run = (name: string, ...args: string[]) => execFileSync(name, args, { encoding: 'utf8' })
  const info = run('pdfinfo', file)
  return {
    info,
    pages: Number(/^Pages: +(\d+)/m.exec(info)?.[1]),
    text: plain(run('pdftotext', '-layout', file, '-')),
    async qr(): Promise<string | undefined> {
      run('pdftoppm', '-png', '-r', '200', '-f', '1', '-l', '1', '-singlefile', file, join(folder, 'page'))
      const { data, info } = await sharp(join(folder, 'page.png')).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
      const found = jsqr.default(new Uint8ClampedArray(data), info.width, info.height)
      return found ? Buffer.from(found.binaryData).toString() : undefined
    },
  }
}

/** Any white space is one space. */
const plain = (text: string) => text.replace(/\s+/g, ' ')
