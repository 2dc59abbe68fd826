import type { Language } from '../i18n/translate.ts'

export const documentKinds = [
  'invoice',
  'specification',
  'offer',
  'delivery_note',
  'order_sheet',
  'work_sheet',
  'reconciliation',
  'customer_offer',
] as const
export type DocumentKind = (typeof documentKinds)[number]

/** A picture as it is stored: for a PDF its file, for a page its address. */
export interface DocumentPicture {
  file: string
  href: string
}

export interface Property {
  label: string
  /** Empty where there is none. */
  value: string
}

/** One of those between whom a document is; what is not known is a line to fill in by hand. */
export interface Party {
  role: string
  name: string | null | undefined
  details: Property[]
}

export interface Column {
  label: string
  /** Amounts and counts align right; a checkbox is ticked by hand. */
  kind?: 'number' | 'checkbox'
}

export interface Row {
  /** One for each column, already written as people read them; the first of several lines is what the others explain. */
  cells: string[]
  picture?: DocumentPicture
  /** The first cell is a heading of so many columns. */
  span?: number
  /** Attributes by which programs know the row of a page. */
  data?: Record<string, string | number>
}

export interface Total extends Property {
  strong?: boolean
}

export interface Signature {
  role: string
  name?: string | null
  /** `Signature` where whoever signs is named below their line. */
  below?: string
}

export interface TextSection {
  title: string
  text?: string
  properties?: Property[]
}

/**
 * One document as a plain value, of which both its page and its PDF are made: all texts are in its language, amounts and days as people
 * read them.
 */
export interface Document {
  kind: DocumentKind
  language: Language
  /** With number and day where it has them: «Счёт на оплату № 12 от 27.11.2026». */
  title: string
  /** What it is about, below the title. */
  subject?: string
  /** What has to be known before anything else is read. */
  notice?: string
  logo?: DocumentPicture
  /** Where to pay to: rows of the table above the title. */
  bank?: Property[]
  /** What the QR code says. */
  qr?: string
  parties: Party[]
  /** What is said before the table. */
  facts?: Property[]
  columns: Column[]
  rows: Row[]
  totals: Total[]
  words?: string
  sections: TextSection[]
  notes: string[]
  signatures: Signature[]
  stamp?: boolean
}
