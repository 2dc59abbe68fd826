import type { Language } from '../i18n/translate.ts'

export interface Property {
  label: string
  /** Empty where there is none. */
  value: string
}

/** One of those between whom a document is. */
export interface Party {
  role: string
  name: string | null | undefined
  details: Property[]
  /** Whom to ask. */
  contact?: string
}

export interface Column {
  label: string
  /** Amounts and counts align right. */
  kind?: 'number'
  /** To be filled in by hand: it has no cells, and stands at the end. */
  box?: boolean
}

export interface Row {
  /** One for each column but boxes, already written as people read them; the first of several lines is what the others explain. */
  cells: string[]
  /** The file of a picture of any shape. */
  picture?: string
}

export interface Total extends Property {
  strong?: boolean
}

export interface Signature {
  role: string
  name?: string | null
}

/** What is said below the table. */
export interface Group {
  title: string
  properties?: Property[]
  text?: string
}

/** One document as a plain value: all texts are in its language, amounts and days as people read them. */
export interface Document {
  language: Language
  /** With number and day: «Счёт на оплату № 12 от 27.11.2026». */
  title: string
  /** What it is about, below the title. */
  subject?: string
  /** What has to be known before anything else is read. */
  notice?: string
  /** The file of a picture of any shape. */
  logo?: string
  /** Where to pay to: a table above the title. */
  bank?: Property[]
  /** What the QR code beside the bank says. */
  qr?: string
  parties: Party[]
  /** What is to be known before the table. */
  facts?: Property[]
  columns: Column[]
  rows: Row[]
  totals: Total[]
  /** The amount in words. */
  words?: string
  /** What is said below all that. */
  note?: string
  groups?: Group[]
  signatures: Signature[]
  /** What stands where the stamp goes. */
  stamp?: string
}
