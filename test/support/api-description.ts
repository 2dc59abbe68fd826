import type { Cabinet } from './cabinet.ts'

/** What the description of the API uses of JSON Schema. */
export interface Schema {
  type?: string | string[]
  format?: string
  enum?: (string | null)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  $ref?: string
}

interface Operation {
  operationId: string
  parameters: { name: string; in: string; schema: Schema; required?: boolean }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export interface Description {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

export async function descriptionOf({ as }: Cabinet): Promise<Description> {
  return (await (await as('root')).get('/api/v1/openapi.json')).json()
}

export interface Endpoint extends Operation {
  method: 'get' | 'post' | 'patch'
  path: string
  body: Schema | undefined
}

export function endpointsOf({ paths }: Description): Endpoint[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method as Endpoint['method'],
      path,
      body: operation.requestBody?.content['application/json']?.schema,
    })),
  )
}

/** What is wrong with a value by a schema; what no schema names is wrong, too. */
export function mistakesIn({ components }: Pick<Description, 'components'>, schema: Schema, value: unknown, place = ''): string[] {
  const target = schema.$ref ? (components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema
  const types = [target.type ?? []].flat()
  if (types.length > 0 && !types.includes(typeOf(value)) && !(types.includes('number') && typeOf(value) === 'integer'))
    return [`${place} is ${typeOf(value)} and not ${types}`]
  if (target.enum && !target.enum.includes(value as string)) return [`${place} is none of ${target.enum}`]
  if (typeof value === 'string' && !hasFormat(value, target)) return [`${place}: ${value} is no ${target.format}`]
  if (Array.isArray(value)) return value.flatMap((one, at) => mistakesIn({ components }, target.items ?? {}, one, `${place}.${at}`))
  if (value === null || typeof value !== 'object') return []
  const missing = (target.required ?? []).filter((name) => !(name in value)).map((name) => `${place}.${name} is missing`)
  const parts = Object.entries(value).flatMap(([name, part]) => {
    const known = target.properties?.[name]
    if (known) return mistakesIn({ components }, known, part, `${place}.${name}`)
    return !target.properties || Object.keys(target.properties).length === 0 || target.additionalProperties
      ? []
      : [`${place}.${name} is not described`]
  })
  return [...missing, ...parts]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

function hasFormat(value: string, { format, maxLength }: Schema): boolean {
  if (maxLength !== undefined && [...value].length > maxLength) return false
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(value)
  return format !== 'date-time' || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)
}

/** A value that a schema allows; `given` has those of names that no schema tells, and leaves out names that are undefined there. */
export function exampleOf(schema: Schema, given: Record<string, unknown>): unknown {
  if (schema.enum) return schema.enum[0]
  const [type] = [schema.type ?? 'string'].flat()
  if (type === 'array') return [exampleOf(schema.items ?? {}, given)]
  if (type === 'object') {
    const names = Object.keys(schema.properties ?? {}).filter((name) => !(name in given) || given[name] !== undefined)
    return Object.fromEntries(names.map((name) => [name, name in given ? given[name] : exampleOf(schema.properties?.[name] ?? {}, given)]))
  }
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1)
  if (type === 'boolean') return false
  return schema.format === 'date' ? '2026-03-04' : schema.format === 'date-time' ? '2026-03-04T12:00:00Z' : 'Text'
}

/** Values that a schema does not allow. */
export function wrongValues(schema: Schema): unknown[] {
  const types = [schema.type ?? []].flat()
  const others = [true, 1, 1.5, 'text', {}, [], [1], -1, 'x'.repeat(100_000), 1e300, null]
  return others.filter(
    (value) => mistakesIn({ components: { schemas: {} } }, schema, value).length > 0 && !(types.includes('integer') && value === 1e300),
  )
}
