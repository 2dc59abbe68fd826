import type { DocumentName } from './documents.ts'
import type { PictureName } from './pictures.ts'

export interface SampleFiles {
  pictures: Partial<Record<PictureName, string>>
  portraits: string[]
  documents: Partial<Record<DocumentName, { key: string; name: string; type: string; size: number }>>
}

export const noFiles: SampleFiles = { pictures: {}, portraits: [], documents: {} }
