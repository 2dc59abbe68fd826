import type { FastifyRequest } from 'fastify'
import {
  type Field,
  type Fields,
  type Form,
  type FormState,
  fieldsOf,
  holdsFile,
  isRepeater,
  kindOf,
  type Mode,
  type RepeaterField,
} from '../../web/form/form.ts'
import { rowLimit, tooManyLines } from '../../web/form/rows.ts'
import type { Problem } from '../../web/http.ts'
import { type Json, type JsonObject, jsonObject } from './json-body.ts'
import { invalid, mostProblems } from './problem.ts'

const unknown: Problem = { message: 'Unknown field.' }

/**
 * Makes of a JSON body the body that a page would send of its form: from here on it is read, checked, merged and saved as that.
 * @param more what the body may say besides the fields of the form, each a whole number
 * @throws ApiProblem 422 that names what the form does not have, and values that no field could hold
 */
export function readFormBody(request: FastifyRequest, form: Form, mode: Mode, more: readonly string[] = []): URLSearchParams {
  const body = new URLSearchParams()
  const errors = new Problems(request)
  const fields = fieldsOf(form, { mode })
  for (const [name, value] of Object.entries(jsonObject(request))) {
    const field = fields.get(name)
    if (more.includes(name)) write(body, errors, name, name, value, Number.isSafeInteger(value) ? String(value) : undefined)
    else if (!field || !kindOf(field).json.read) errors.add(name, unknown)
    else if (isRepeater(field)) writeRows(body, errors, name, field, value)
    else writeValue(body, errors, name, name, field, value)
  }
  addKey(request, body, errors)
  errors.refuse()
  return body
}

/** What is wrong with a body, by place. What follows as many problems as an answer holds is not read. */
class Problems {
  private readonly request: FastifyRequest
  private readonly found = new Map<string, Problem>()
  constructor(request: FastifyRequest) {
    this.request = request
  }
  add(place: string, problem: Problem): void {
    this.found.set(place, problem)
    if (this.found.size === mostProblems) this.refuse()
  }
  refuse(): void {
    if (this.found.size > 0) throw invalid(this.request, Object.fromEntries(this.found))
  }
}

/** What a body names, the page of the form must show to this person. */
export function refuseHidden(request: FastifyRequest, { states = {} }: FormState): void {
  const named = Object.entries(jsonObject(request)).flatMap(([name, value]) =>
    value === false ? [] : [[name, name], ...partsOf(name, value)],
  )
  const errors = named.filter(([whole = '']) => states[whole] === 'hidden').map(([, place = '']) => [place, unknown])
  if (errors.length > 0) throw invalid(request, Object.fromEntries(errors))
}

function partsOf(name: string, value: Json): [whole: string, place: string][] {
  if (!Array.isArray(value)) return []
  return value.flatMap((row, index) =>
    Object.keys(row ?? {}).map((part): [string, string] => [`${name}.${part}`, `${name}.${index}.${part}`]),
  )
}

const keyLimit = 100

/** A request sent again with its key is carried out once. */
function addKey({ headers }: FastifyRequest, body: URLSearchParams, errors: Problems): void {
  const key = headers['idempotency-key']
  if (key === undefined) return
  if (typeof key !== 'string' || key === '' || key.length > keyLimit)
    errors.add('Idempotency-Key', { message: 'Up to {max} characters.', params: { max: keyLimit } })
  else body.set('once', key)
}

function writeRows(body: URLSearchParams, errors: Problems, name: string, { rows: fields, key }: RepeaterField<Fields>, value: Json): void {
  if (!Array.isArray(value)) return void errors.add(name, { message: 'This must be a list.' })
  if (value.length > rowLimit) return void errors.add(name, tooManyLines)
  body.set(name, '')
  for (const [index, row] of value.entries()) {
    const place = `${name}.${index}`
    if (row === null || typeof row !== 'object' || Array.isArray(row)) errors.add(place, { message: 'This must be an object.' })
    else writeRow(body, errors, { name, index, fields, key }, row)
  }
}

interface RowPlace {
  name: string
  index: number
  fields: Fields
  key: RepeaterField['key']
}

function writeRow(body: URLSearchParams, errors: Problems, { name, index, fields, key }: RowPlace, row: JsonObject): void {
  for (const [part, value] of Object.entries(row)) {
    const [id, input] = [`${name}.${index}.${part}`, `${name}[${index}][${part}]`]
    const field = Object.hasOwn(fields, part) ? fields[part] : undefined
    if (part === 'id' && key === 'id') write(body, errors, id, input, value, Number.isSafeInteger(value) ? String(value) : undefined)
    else if (!field || !kindOf(field).json.read) errors.add(id, unknown)
    else writeValue(body, errors, id, holdsFile(field) ? `${name}[${index}][stored]` : input, field, value)
  }
}

function writeValue(body: URLSearchParams, errors: Problems, id: string, input: string, field: Field, value: Json): void {
  if (field.kind === 'several' && isTexts(value)) {
    for (const text of value.length > 0 ? value : ['']) body.append(`${input}[]`, text)
  } else write(body, errors, id, holdsFile(field) && input === id ? `${input}[stored]` : input, value, textOf(field, value))
}

function write(body: URLSearchParams, errors: Problems, id: string, input: string, value: Json, text: string | undefined): void {
  if (text !== undefined) body.append(input, text)
  else errors.add(id, { message: value === null ? 'Required' : 'This value is of another type.' })
}

const isTexts = (value: Json): value is string[] =>
  Array.isArray(value) && value.length <= rowLimit && value.every((one) => typeof one === 'string' && !one.includes(','))

/** What somebody would type for a value; nothing for one that the field could not hold. */
function textOf(field: Field, value: Json): string | undefined {
  const { kind } = field
  if (kind === 'switch') return typeof value === 'boolean' ? kindOf(field).show(value, field) : undefined
  if (value === null) return ''
  if (kind === 'money' || kind === 'shownMoney') return Number.isSafeInteger(value) ? kindOf(field).show(value, field) : undefined
  if (kind === 'number' || kind === 'decimal' || kind === 'choice') return typeof value === 'number' ? String(value) : undefined
  if (kind === 'dateTime') return typeof value === 'string' ? kindOf(field).show(Date.parse(value), field) : undefined
  return typeof value === 'string' && kind !== 'several' ? value : undefined
}
