import { type Field, isRequired, type Mode } from '../../web/form/form.ts'

/** A part of the description, as JSON Schema has it (OpenAPI 3.1). */
export interface Schema {
  type?: SchemaType | SchemaType[]
  format?: string
  enum?: (string | null)[]
  minimum?: number
  maximum?: number
  maxLength?: number
  minLength?: number
  items?: Schema
  properties?: Schemas
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  $ref?: string
}

export type Schemas = Record<string, Schema>

type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

export const integer: Schema = { type: 'integer' }
export const string: Schema = { type: 'string' }
export const boolean: Schema = { type: 'boolean' }
export const moment: Schema = { type: 'string', format: 'date-time' }
export const day: Schema = { type: 'string', format: 'date' }
export const kopecks: Schema = { type: 'integer', format: 'kopecks' }

export const boundedInteger = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum })

export const listOf = (items: Schema): Schema => ({ type: 'array', items })

export function objectOf(properties: Schemas, required: string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type ?? 'string', 'null'].flat() as SchemaType[], ...(schema.enum && { enum: [...schema.enum, null] }) }
}

/** What a value of a field is in JSON, as records hold it and bodies send it. */
export function schemaOf(field: Field): Schema {
  if (field.rows) return listOf(rowSchema(field))
  const schema = { ...plainSchema(field), description: field.label }
  return field.kind === 'switch' || field.kind === 'several' || field.kind === 'images' ? schema : orNull(schema)
}

/** What a body may send for a field: nothing that is only read, and nothing empty where something is required. */
export function writtenSchemaOf(field: Field, mode: Mode): Schema {
  if (!field.rows) return takesNothing(field, mode) ? schemaOf(field) : { ...plainSchema(field), description: field.label }
  const parts = Object.entries(field.rows).filter(([, { kind }]) => kind !== 'read-only')
  const properties = Object.fromEntries(parts.map(([name, part]) => [name, schemaOf(part)]))
  return listOf({ ...objectOf({ ...(field.key === 'id' && { id: integer }), ...properties }), additionalProperties: false })
}

const takesNothing = (field: Field, mode: Mode) => !isRequired(field, mode) || (mode === 'edit' && field.kind === 'password')

function rowSchema({ rows = {} }: Field): Schema {
  const parts = Object.entries(rows).map(([name, field]) => [name, schemaOf(field)])
  return objectOf({ id: integer, ...Object.fromEntries(parts) })
}

function plainSchema({ kind, max, values }: Field): Schema {
  const length = max !== undefined && { maxLength: max }
  switch (kind) {
    case 'money':
    case 'hidden':
      return { ...kopecks, minimum: 0 }
    case 'number':
    case 'choice':
      return integer
    case 'decimal':
      return { type: 'number' }
    case 'switch':
      return boolean
    case 'date':
      return day
    case 'dateTime':
      return moment
    case 'option':
      return { ...string, enum: Object.keys(values ?? {}) }
    case 'several':
      return listOf({ ...string, enum: Object.keys(values ?? {}) })
    case 'images':
      return listOf(string)
    default:
      return { ...string, ...length }
  }
}
