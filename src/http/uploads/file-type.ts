import { open } from 'node:fs/promises'

const signatures: [type: string, start: RegExp][] = [
  ['application/pdf', /^%PDF-\d/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftyp.{0,28}avi[fs]/s],
]

/** The type of a picture or PDF by its first bytes, never by what its sender said, so that nothing else reaches a decoder or a browser. */
export async function fileTypeOf(path: string): Promise<string | undefined> {
  const start = await startOf(path)
  return signatures.find(([, signature]) => signature.test(start))?.[0]
}

/** The first bytes of a file, a character each. */
export async function startOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(40), 0, 40, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

export function previewKind(extension: string): 'picture' | 'pdf' | undefined {
  if (/^\.pdf$/i.test(extension)) return 'pdf'
  return /^\.(jpe?g|png|gif|webp|avif)$/i.test(extension) ? 'picture' : undefined
}
