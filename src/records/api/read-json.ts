import type { FastifyRequest } from 'fastify'
import type { Problem } from '../../http/request/errors.ts'
import { type Field, type Fields, isRepeater, kindOf, type RepeaterField } from '../fields/index.ts'
import { rowLimit } from '../fields/kind.ts'
import { type Form, type FormState, fieldsOf, type Mode } from '../form/form.ts'
import { isInitial, tooManyLines } from '../form/inputs.ts'
import { type Said, type Sent, type SentRows, say, uploadedBy } from '../form/sent.ts'
import { type Json, type JsonObject, jsonObject } from './json-body.ts'
import { invalid, mostProblems } from './problem.ts'

const unknown: Problem = { message: 'Unknown field.' }

/** What a JSON body says of the fields of a form, and by place as texts, for what looks before it is read. */
interface SentJson extends Sent {
  texts: Map<string, string>
}

/**
 * The values that a JSON body says, as if they had come from a page.
 * @param numbers what the body may say besides the fields of the form
 * @throws ApiProblem 422 that names what the form does not have, and values that no field could hold
 */
export function readJson(request: FastifyRequest, form: Form, mode: Mode, numbers: readonly string[] = []): SentJson {
  const reader = new JsonReader(request)
  const fields = fieldsOf(form, { mode })
  for (const [name, value] of Object.entries(jsonObject(request))) {
    const field = fields.get(name)
    if (numbers.includes(name)) reader.number(name, value)
    else if (!field || !kindOf(field).json.read) reader.addProblem(name, unknown)
    else if (isRepeater(field)) reader.list(name, field, value)
    else reader.value(name, field, value)
  }
  reader.key()
  return reader.finish()
}

/** The same, of a form that has a page: what the page does not show to this person the body may not name. */
export function readShownJson(request: FastifyRequest, form: Form, mode: Mode, numbers?: readonly string[]): Sent {
  return { ...readJson(request, form, mode, numbers), refuseHidden: (state) => refuseHidden(request, state) }
}

class JsonReader {
  private readonly request: FastifyRequest
  /** By place; what follows as many as an answer holds is not read. */
  private readonly problems = new Map<string, Problem>()
  private readonly texts = new Map<string, string>()
  private readonly said = new Map<string, Said>()
  private readonly rows = new Map<string, { index: string; key?: string; row: JsonObject }[]>()

  constructor(request: FastifyRequest) {
    this.request = request
  }

  addProblem(place: string, problem: Problem): void {
    this.problems.set(place, problem)
    if (this.problems.size === mostProblems) this.throwProblems()
  }

  value(place: string, field: Field, json: Json): void {
    const kind = kindOf(field)
    const text = typeof json === 'string' ? json : undefined
    const said = say(text ?? '', () => kind.json.read?.(json, field))
    if (said.value === undefined && !said.problem) this.addProblem(place, otherType(json))
    else this.say(place, { ...said, text: text ?? (said.problem ? String(json) : kind.show(said.value, field)) })
  }

  number(place: string, json: Json): void {
    if (Number.isSafeInteger(json)) this.texts.set(place, String(json))
    else this.addProblem(place, otherType(json))
  }

  list(name: string, field: RepeaterField<Fields>, json: Json): void {
    if (!Array.isArray(json)) this.addProblem(name, { message: 'This must be a list.' })
    else if (json.length > rowLimit) this.addProblem(name, tooManyLines)
    else this.rowsOf(name, field, json)
  }

  private rowsOf(name: string, field: RepeaterField<Fields>, json: Json[]): void {
    this.texts.set(name, '')
    const rows = json.flatMap((row, index) => {
      if (row !== null && typeof row === 'object' && !Array.isArray(row)) return this.row(`${name}.${index}`, field, row)
      this.addProblem(`${name}.${index}`, { message: 'This must be an object.' })
      return []
    })
    this.rows.set(name, rows)
  }

  private row(place: string, field: RepeaterField<Fields>, row: JsonObject): { index: string; key?: string; row: JsonObject }[] {
    for (const [part, value] of Object.entries(row)) {
      const of = Object.hasOwn(field.rows, part) ? field.rows[part] : undefined
      if (part === 'id' && field.key === 'id') this.number(`${place}.id`, value)
      else if (!of || !kindOf(of).json.read) this.addProblem(`${place}.${part}`, unknown)
      else this.value(`${place}.${part}`, of, value)
    }
    // An empty one is none.
    return Object.keys(row).length > 0
      ? [{ index: place.split('.')[1] as string, key: this.texts.get(`${place}.${field.key}`) || undefined, row }]
      : []
  }

  /** A request sent again with its key is carried out once. */
  key(): void {
    const key = this.request.headers['idempotency-key']
    if (key === undefined) return
    if (typeof key !== 'string' || key === '' || key.length > keyLimit)
      this.addProblem('Idempotency-Key', { message: 'Up to {max} characters.', params: { max: keyLimit } })
    else this.texts.set('once', key)
  }

  finish(): SentJson {
    this.throwProblems()
    const { request, texts, said } = this
    const version = texts.get('version')
    const sent: SentJson = {
      texts,
      version: version === undefined ? undefined : versionOf(Number(version)),
      said: (place) => said.get(place),
      rows: (name, field, initial = {}): SentRows | undefined => {
        const rows = this.rows.get(name)
        const isBlank = (index: string, row: JsonObject) =>
          Object.keys(row).every((part) => isInitial(texts.get(`${name}.${index}.${part}`) ?? '', initial[part]))
        return (
          rows && {
            complete: true,
            rows: rows.map(({ index, key, row }) => ({ index, key, blank: field.ignoresBlank && isBlank(index, row), sent })),
          }
        )
      },
      uploaded: uploadedBy(request),
    }
    return sent
  }

  private say(place: string, said: Said): void {
    this.said.set(place, said)
    this.texts.set(place, said.text ?? '')
  }

  private throwProblems(): void {
    if (this.problems.size > 0) throw invalid(this.request, Object.fromEntries(this.problems))
  }
}

const keyLimit = 100

const otherType = (json: Json): Problem => ({ message: json === null ? 'Required' : 'This value is of another type.' })

const versionOf = (version: number) => (version >= 0 && version < 1e15 ? version : Number.NaN)

function refuseHidden(request: FastifyRequest, { states = {} }: FormState): void {
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
