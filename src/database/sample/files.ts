import type { DocumentName } from './documents.ts'
import type { PictureName } from './pictures.ts'

/** The stored files that records of the demo data refer to. */
export interface SampleFiles {
  /** Storage keys. */
  pictures: Partial<Record<PictureName, string>>
  portraits: string[]
  documents: Partial<Record<DocumentName, { key: string; name: string; type: string; size: number }>>
}

export const noFiles: SampleFiles = { pictures: {}, portraits: [], documents: {} }
