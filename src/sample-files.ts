import { Readable } from 'node:stream'
import type { Database } from './database/open.ts'
import { documents } from './database/sample/documents.ts'
import type { SampleFiles } from './database/sample/files.ts'
import { pictures } from './database/sample/pictures.ts'
import { portraits } from './database/sample/portraits.ts'
import { makeAvatar } from './web/uploads/avatar.ts'
import { makeGalleryPicture } from './web/uploads/gallery.ts'
import { receiveFile, recordUploads, type TemporaryFile } from './web/uploads/store.ts'

/** Renders and stores the pictures and documents of the demo data; its records refer to them. */
export async function storeSampleFiles(storage: { db: Database; dataDir: string }): Promise<SampleFiles> {
  const { default: sharp } = await import('sharp')
  const store = async (content: Buffer, name: string, type: string, finish = async (file: TemporaryFile) => file) => {
    const file = await finish(await receiveFile(storage.dataDir, Readable.from([content]), { name, type }))
    await recordUploads(storage, [file], nobody)
    return file
  }
  const draw = async (svg: string, name: string, finish: (file: TemporaryFile) => Promise<TemporaryFile>) =>
    (await store(await sharp(Buffer.from(svg)).png({ compressionLevel: 1 }).toBuffer(), `${name}.png`, 'image/png', finish)).key
  const stored: SampleFiles = { pictures: {}, portraits: [], documents: {} }
  for (const [name, svg] of entries(pictures)) stored.pictures[name] = await draw(svg, name, makeGalleryPicture)
  for (const svg of portraits) stored.portraits.push(await draw(svg, 'portrait', makeAvatar))
  for (const [name, pdf] of entries(documents)) {
    const { key, name: saved, type, size } = await store(Buffer.from(pdf), `${name}.pdf`, 'application/pdf')
    stored.documents[name] = { key, name: saved, type, size }
  }
  return stored
}

/** Until the demo data has people, nobody has uploaded them. */
const nobody = 0

function entries<K extends string, V>(record: Record<K, V>): [K, V][] {
  return Object.entries(record) as [K, V][]
}
