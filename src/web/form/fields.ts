import { z } from 'zod'
import { countCharacters, firstCharacters } from '../../core/text.ts'
import { parseKopecks, parseLocalMoment, showLocalMoment, showMoment, showRubles } from '../view/format.ts'

/** A value that cannot be saved; the message is a translation key. */
export class FieldError extends Error {
  readonly params: Record<string, unknown>
  constructor(message: string, params: Record<string, unknown> = {}) {
    super(message)
    this.params = params
  }
}

export interface Choice {
  id: number
  name: string
}

interface Common {
  /** On both forms, or only for a new record: what it held may have been deleted since. */
  required?: boolean | 'create'
  /** On which of the two forms it stands; on both when not said. */
  only?: 'create' | 'edit'
  hint?: string
  /** What the browser may fill in, as in the autocomplete attribute. */
  autocomplete?: string
}

export interface Field extends Common {
  label: string
  /** Which part of `components/field.njk` draws it. */
  kind:
    | 'text'
    | 'paragraph'
    | 'money'
    | 'email'
    | 'password'
    | 'proof'
    | 'phone'
    | 'number'
    | 'date'
    | 'dateTime'
    | 'richText'
    | 'switch'
    | 'choice'
    | 'option'
    | 'several'
    | 'color'
    | 'upload'
    | 'image'
    | 'images'
    | 'repeater'
    | 'shown'
  max?: number
  /** The fixed values of which one or several are chosen, with their names, and what choosing none means. */
  values?: Record<string, string>
  none?: string
  /** The fields of a repeater's rows. */
  rows?: Record<string, Field>
  /** Which property tells a repeater's rows apart: the row's id, or the file it holds. */
  key?: 'id' | 'file'
  /** A field of the row that no two rows may share. */
  unique?: string
  /** A field of the row that two rows seldom share, and what to say when they do. */
  rarelyTwice?: { part: string; doubt: string }
  /** What a field of a new row holds when the body does not name it; nothing when not said. */
  initial?: unknown
  /** A choice of very many: where the browser asks for those that a search finds. */
  source?: string
  /** From what was typed to what is stored; an empty optional field is null. */
  parse: (text: string) => unknown
  /** From what is stored to what the input shows. */
  show: (value: unknown) => string
}

const plain = (value: unknown) => (value === null || value === undefined ? '' : String(value))

export function text(label: string, options: Common & { max?: number } = {}): Field {
  const max = options.max ?? 255
  return { label, kind: 'text', ...options, max, parse: (typed) => shortText(typed, max), show: plain }
}

/** A text of several lines. */
export function paragraph(label: string, options: Common & { max: number }): Field {
  const parse = (typed: string) => longText(lineFeeds(typed), options.max)
  return { label, kind: 'paragraph', ...options, parse, show: plain }
}

export function phone(label: string, options: Common = {}): Field {
  return { ...text(label, options), kind: 'phone' }
}

/** An address of our own people, which must be one. */
export function email(label: string, options: Common = {}): Field {
  const parse = (typed: string) => {
    const address = shortText(typed, 255)
    if (address !== null && !z.email().safeParse(address).success) throw new FieldError('This is not an email address.')
    return address
  }
  return { label, kind: 'email', ...options, max: 255, parse, show: plain }
}

/** Saved only when filled, hashed by whoever saves it, and never shown again. */
export function password(label: string, options: Common = {}): Field {
  return { label, kind: 'password', ...options, parse: parsePassword, show: () => '' }
}

/** A password that shows who is asking: whoever saves compares it, and nobody keeps it. */
export function proof(label: string, options: Common = {}): Field {
  return { label, kind: 'proof', ...options, parse: (typed) => typed || null, show: () => '' }
}

export function number(label: string, options: Common & { least: number; most: number }): Field {
  const { least, most } = options
  const parse = (typed: string) => {
    const trimmed = typed.trim()
    if (trimmed === '') return null
    const value = Number(trimmed)
    if (!/^[+-]?\d+$/.test(trimmed) || value < least || value > most)
      throw new FieldError('A whole number from {least} to {most}.', { least, most })
    return value
  }
  return { label, kind: 'number', ...options, parse, show: plain }
}

/** A sum from nothing to `most`, typed in rubles with comma or point, stored in whole kopecks. */
export function money(label: string, options: Common & { most: number }): Field {
  const parse = (typed: string) => {
    if (typed.trim() === '') return null
    const kopecks = parseKopecks(typed)
    if (kopecks === undefined || kopecks > options.most)
      throw new FieldError('A sum from 0 to {most}, with at most two digits after the comma.', { most: showRubles(options.most) })
    return kopecks
  }
  return { label, kind: 'money', ...options, parse, show: (value) => (typeof value === 'number' ? showRubles(value) : '') }
}

/** A calendar date, `YYYY-MM-DD` in the body and in the database. */
export function date(label: string, options: Common = {}): Field {
  const parse = (typed: string) => {
    const day = typed.trim()
    if (day === '') return null
    if (!z.iso.date().safeParse(day).success) throw new FieldError('There is no such date.')
    return day
  }
  return { label, kind: 'date', ...options, parse, show: plain }
}

/** A moment, `YYYY-MM-DDTHH:MM` in the service's zone in the body, milliseconds in the database. */
export function dateTime(label: string, options: Common = {}): Field {
  const parse = (typed: string) => {
    if (typed.trim() === '') return null
    const moment = parseLocalMoment(typed.trim())
    if (moment === undefined) throw new FieldError('There is no such date.')
    return moment
  }
  return { label, kind: 'dateTime', ...options, parse, show: (value) => showLocalMoment(value as number | null) }
}

/** HTML as somebody wrote it, kept to the letter but for the form of its line ends; `refuse` names what is wrong with it. */
export function richText(label: string, options: Common & { maxBytes: number; refuse?: (html: string) => string | undefined }): Field {
  const parse = (typed: string) => {
    const html = lineFeeds(typed)
    if (html.includes('\0')) throw new FieldError('There are characters in it that cannot be stored.')
    if (Buffer.byteLength(html) > options.maxBytes)
      throw new FieldError('The text may have {max} MB at most.', { max: options.maxBytes / 1024 ** 2 })
    const problem = options.refuse?.(html)
    if (problem) throw new FieldError(problem)
    return html === '' ? null : html
  }
  return { label, kind: 'richText', ...options, max: options.maxBytes, parse, show: (value) => lineFeeds(plain(value)) }
}

const lineFeeds = (text: string) => text.replace(/\r\n?/g, '\n')

export function toggle(label: string, options: Common = {}): Field {
  const parse = (typed: string) => {
    if (typed !== '0' && typed !== '1') throw new FieldError('On or off, nothing else.')
    return typed === '1'
  }
  return { label, kind: 'switch', ...options, initial: false, parse, show: (value) => (value ? '1' : '0') }
}

/** A moment that is only shown: nothing that a body says of it counts. */
export function moment(label: string, options: Common = {}): Field {
  return { label, kind: 'shown', ...options, parse: () => undefined, show: (value) => showMoment(value as number | null) }
}

/** A text that is only shown: nothing that a body says of it counts. */
export function shown(label: string): Field {
  return { label, kind: 'shown', parse: () => undefined, show: plain }
}

/** One of a few fixed values; the names are translated. */
export function option(label: string, values: Record<string, string>, options: Common & { none?: string } = {}): Field {
  const parse = (typed: string) => {
    if (typed === '') return null
    if (!Object.hasOwn(values, typed)) throw new FieldError('Choose one from the list.')
    return typed
  }
  return { label, kind: 'option', ...options, values, parse, show: plain }
}

/** Any of a few fixed values, as an array in their order; the names are translated. What was typed holds them with commas. */
export function several(label: string, values: Record<string, string>, options: Common = {}): Field {
  const ordered = (chosen: readonly string[]) => Object.keys(values).filter((key) => chosen.includes(key))
  const parse = (typed: string) => {
    const chosen = typed.split(',').filter(Boolean)
    const unknown = chosen.find((key) => !Object.hasOwn(values, key))
    if (unknown !== undefined) throw new FieldError('There is no choice “{name}”.', { name: firstCharacters(unknown, 50) })
    return ordered(chosen)
  }
  const show = (value: unknown) => ordered((value ?? []) as string[]).join(',')
  return { label, kind: 'several', ...options, values, initial: [], parse, show }
}

/** A colour as `#rgb` or `#rrggbb`. */
export function color(label: string, options: Common = {}): Field {
  const parse = (typed: string) => {
    const value = typed.trim()
    if (value === '') return null
    if (!/^#([\da-f]{3}|[\da-f]{6})$/i.test(value)) throw new FieldError('A colour is written like {example}.', { example: '#4299e1' })
    return value
  }
  return { label, kind: 'color', ...options, max: 7, parse, show: plain }
}

/**
 * One of the records that the form offers; which ones, the form's page says (see `FormPage.choices`).
 * Of very many it offers the chosen one and what a search finds: in the browser by asking the `source`, without scripts by
 * the field `<name>_search` and the button `_find`.
 */
export function choice(label: string, options: Common & { source?: string } = {}): Field {
  const parse = (typed: string) => {
    if (typed.trim() === '') return null
    if (!/^\d{1,15}$/.test(typed.trim())) throw new FieldError('Choose one from the list.')
    return Number(typed)
  }
  return { label, kind: 'choice', ...options, parse, show: plain }
}

/** A file: the key under which it is stored. The bytes travel beside the form and are stored before it is read. */
export function upload(label: string, options: Common = {}): Field {
  return { label, kind: 'upload', ...options, parse: (typed) => typed.trim() || null, show: plain }
}

/** A square picture of a person: like an upload, the key of what was made of the picture that was sent. */
export function image(label: string, options: Common = {}): Field {
  return { ...upload(label, options), kind: 'image' }
}

/** Pictures in an order of their own: an array of keys. */
export function images(label: string, options: Common & { max: number }): Field {
  return { label, kind: 'images', ...options, parse: () => undefined, show: () => '' }
}

/** Whether a field's value is the key of a stored file. */
export function holdsFile({ kind }: Field): boolean {
  return kind === 'upload' || kind === 'image'
}

/** Whether a field's input says less than what is stored: sent back as it was shown, it means what is stored. */
export function showsRoughly({ kind }: Field): boolean {
  return kind === 'dateTime' || kind === 'richText' || kind === 'several'
}

/** Rows of fields, added and removed at will; its value is an array of rows, each with its key. */
export function repeater(
  label: string,
  rows: Record<string, Field>,
  options: Common & Pick<Field, 'unique' | 'rarelyTwice'> & { key: 'id' | 'file' },
): Field {
  return { label, kind: 'repeater', ...options, rows, parse: () => null, show: () => '' }
}

function shortText(typed: string, max: number): string | null {
  if (/[\t\n\r]/.test(typed.trim())) throw new FieldError('There are characters in it that cannot be stored.')
  return longText(typed, max)
}

function longText(typed: string, max: number): string | null {
  const value = typed.normalize('NFC').trim()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(value)) throw new FieldError('There are characters in it that cannot be stored.')
  if (countCharacters(value) > max) throw new FieldError('At most {max} characters.', { max })
  return value === '' ? null : value
}

function parsePassword(typed: string): string | null {
  if (typed === '') return null
  if (countCharacters(typed) < 8 || countCharacters(typed) > 256) throw new FieldError('A password has 8 to 256 characters.')
  return typed
}
