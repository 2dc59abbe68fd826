import type { FastifyRequest } from 'fastify'
import type { Context } from '../../http/request/context.ts'
import type { Problem } from '../../http/request/errors.ts'
import { bodyOf, parseId } from '../../http/request/input.ts'
import type { SentTexts } from '../../http/submissions/idempotency.ts'
import { isPicture } from '../../http/uploads/folder.ts'
import { storedName } from '../../http/uploads/multipart.ts'
import { hasUploaded } from '../../http/uploads/uploaded.ts'
import { type Field, FieldError, type Fields, holdsFile, type ImagesField, kindOf, type RepeaterField } from '../fields/index.ts'
import type { FormState, Row, SubmittedRow } from './form.ts'
import { inputsOfRows, isInitial } from './inputs.ts'

/** What was sent for a form, whatever it came in: the body of a page, JSON, or a row of a sheet. */
export interface Sent {
  /** By names of inputs or by places of fields: the idempotency key, and what a repetition is told by. */
  texts: SentTexts
  /** The one that the form was opened with, if it says so; `NaN` where that is none. */
  version?: number
  /** What is said of a field, or of a part of a row such as `items.0.price`. */
  said: (place: string, field: Field) => Said | undefined
  rows: (name: string, field: RepeaterField<Fields>, initial?: Row) => SentRows | undefined
  images?: (name: string, field: ImagesField) => SentImages | undefined
  /** What a choice was searched for. */
  search?: (place: string) => string
  uploaded: (key: string, field: Field) => boolean
  /** Refuses what it says of fields that the form hides; without it that is not read. */
  refuseHidden?: (state: FormState) => void
}

export interface Said {
  /** As its input would show it. */
  text?: string
  value?: unknown
  problem?: Problem
}

export interface SentRows {
  /** Stored rows that are left out are deleted. */
  complete: boolean
  rows: (SubmittedRow & { sent: Sent })[]
  /** What is said is no list of rows. */
  problem?: Problem
}

interface SentImages {
  complete: boolean
  keys: string[]
  problem?: Problem
}

interface Body extends Pick<Sent, 'uploaded'> {
  body: URLSearchParams
  uploadErrors?: Record<string, Problem>
}

/** What the inputs of a page say. */
export function sentInputs({ body, uploadErrors = {}, uploaded }: Body): Sent {
  return {
    texts: body,
    version: body.get('version') ? (parseId(body.get('version')) ?? Number.NaN) : undefined,
    uploaded,
    said(place, field) {
      const input = inputName(place)
      if (!holdsFile(field)) return sayTexts(kindOf(field).typedIn?.(body, input) ?? body.getAll(input), field)
      const keys = body.getAll(storedName(input))
      const file = sayTexts(kindOf(field).file?.each && keys.length > 0 ? [keys.filter(Boolean).join(' ')] : keys.slice(-1), field)
      return uploadErrors[input] ? { ...file, problem: uploadErrors[input] } : file
    },
    // Rows left out are deleted only when the bare name marks the list complete: a truncated body deletes nothing.
    rows(name, field, initial) {
      const rows = [...inputsOfRows(body, name)].map(([index, inputs]) => ({
        ...submittedRow(index, inputs, field, initial),
        sent: sentInputs({ body: inputs, uploadErrors, uploaded }),
      }))
      const complete = body.has(name)
      return complete || rows.length > 0 ? { complete, rows } : undefined
    },
    images(name) {
      const keys = submittedKeys(name, body)
      const problem = Object.entries(uploadErrors).find(([input]) => input.startsWith(`${name}[`))?.[1]
      const complete = body.has(name)
      return complete || keys.length > 0 || problem ? { complete, keys, problem } : undefined
    },
    search: (place) => body.get(`${inputName(place)}_search`) ?? '',
  }
}

export function readSubmittedForm(request: FastifyRequest): Sent {
  return sentInputs({ body: bodyOf(request), uploadErrors: request.uploadErrors, uploaded: uploadedBy(request) })
}

/** Whether somebody has uploaded something for a field of some kind. */
export function uploadedBy({ server, actor }: Context): Sent['uploaded'] {
  return (key, field) => {
    const place = kindOf(field).file?.of ?? 'files'
    return hasUploaded(server.db, key, actor.id) && (place === 'files' || isPicture(server.config.dataDir, place, key))
  }
}

function sayTexts(texts: string[], field: Field): Said | undefined {
  const text = texts.at(-1)
  if (text === undefined) return undefined
  if (texts.length > 1) return { text, problem: { message: 'This value was sent more than once.' } }
  return say(text, () => readTyped(text, field))
}

function readTyped(text: string, field: Field): unknown {
  const { parse, review } = kindOf(field)
  const value = parse(text, field)
  review?.(text)
  return value
}

/** What somebody says, as the value that it is or with what is wrong with it. */
export function say(text: string, read: () => unknown): Said {
  try {
    return { text, value: read() }
  } catch (error) {
    if (!(error instanceof FieldError)) throw error
    return { text, problem: { message: error.message, params: error.params } }
  }
}

/** The input of a place: `items[0][price]` of `items.0.price`. */
export function inputName(place: string): string {
  const [name, ...parts] = place.split('.')
  return name + parts.map((part) => `[${part}]`).join('')
}

function submittedRow(index: string, inputs: URLSearchParams, field: RepeaterField, initial: Row = {}): SubmittedRow {
  const identity = field.key === 'file' ? 'stored' : 'id'
  const row: SubmittedRow = { index, ...(field.ignoresBlank && { blank: true }) }
  for (const [input, text] of inputs) {
    const part = /^\w+\[\d+\]\[(\w+)\]/.exec(input)?.[1] as string
    if (part === identity) row.key = text || undefined
    if (!isInitial(text, initial[part])) row.blank = false
  }
  return row
}

/** Images in the submitted order: `images[0][stored]` names a stored one, `images[stored]` a new one. */
function submittedKeys(name: string, body: URLSearchParams): string[] {
  const places = new Map<string, string>()
  let added = 0
  for (const [input, key] of body) {
    if (!input.startsWith(`${name}[`)) continue
    const index = /^\[(\d{1,4})\]\[stored\]$/.exec(input.slice(name.length))?.[1]
    if (index !== undefined) places.set(index, key)
    else if (input === `${name}[stored]`) places.set(`new ${added++}`, key)
  }
  return [...new Set([...places.values()].filter(Boolean))]
}
