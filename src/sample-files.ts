import { Readable } from 'node:stream'
import type { Language } from './core/default-workflow.ts'
import type { Database } from './database/open.ts'
import { readContentFiles, type SampleFiles } from './database/sample/content.ts'
import { makeAvatar, makeGalleryPicture } from './http/uploads/picture.ts'
import { receiveFile, recordUploads, type TemporaryFile } from './http/uploads/store.ts'

/** Renders and stores the pictures and documents of the demo data; its records refer to them. */
export async function storeSampleFiles(storage: { db: Database; dataDir: string }, language: Language): Promise<SampleFiles> {
  const { default: sharp } = await import('sharp')
  const store = async (content: Buffer, name: string, type: string, finish = async (file: TemporaryFile) => file) => {
    const file = await finish(await receiveFile(storage.dataDir, Readable.from([content]), { name, type }))
    await recordUploads(storage, [file], nobody)
    return file
  }
  const render = async (svg: Buffer, name: string, finish: typeof makeGalleryPicture) => {
    const png = await sharp(svg).png({ compressionLevel: 1 }).toBuffer()
    return (await store(png, `${name}.png`, 'image/png', (file) => finish(file, nobody))).key
  }
  const stored: SampleFiles = { pictures: {}, portraits: {}, documents: {} }
  for (const [name, svg] of readContentFiles('pictures')) stored.pictures[name] = await render(svg, name, makeGalleryPicture)
  for (const [name, svg] of readContentFiles('portraits')) stored.portraits[name] = await render(svg, name, makeAvatar)
  for (const [name, pdf] of readContentFiles(`documents/${language}`)) {
    const { key, name: saved, type, size } = await store(pdf, `${documentNames[language][name] ?? name}.pdf`, 'application/pdf')
    stored.documents[name] = { key, name: saved, type, size }
  }
  return stored
}

const documentNames: Record<Language, Record<string, string>> = {
  en: {},
  ru: {
    contract: 'Договор поставки',
    appendix: 'Приложение 1',
    specification: 'Спецификация',
    invoice: 'Счёт на оплату',
    payment_order: 'Платёжное поручение',
  },
}

/** Until the demo data has people, nobody has uploaded them. */
const nobody = 0
