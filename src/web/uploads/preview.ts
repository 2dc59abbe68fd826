import { open } from 'node:fs/promises'

type PreviewKind = 'picture' | 'pdf'

const types: [string, RegExp][] = [
  ['application/pdf', /^%PDF-\d/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/png', /^\x89PNG\r\n/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavi[fs]/s],
]

const extensions: Record<string, PreviewKind> = {
  '.pdf': 'pdf',
  '.jpg': 'picture',
  '.jpeg': 'picture',
  '.png': 'picture',
  '.gif': 'picture',
  '.webp': 'picture',
  '.avif': 'picture',
}

/** Whether a page offers a preview of a file with this extension; what is in it is checked when it is asked for. */
export function previewKind(extension: string): PreviewKind | undefined {
  return extensions[extension.toLowerCase()]
}

/** The type of a file that browsers may open, by its first bytes and never by what its sender said. */
export async function previewType(path: string): Promise<string | undefined> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
    const start = buffer.toString('latin1', 0, bytesRead)
    return types.find(([, signature]) => signature.test(start))?.[0]
  } finally {
    await file.close()
  }
}
