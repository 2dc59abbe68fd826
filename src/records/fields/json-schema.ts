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

/** The properties of a file. */
export const file: Schemas = { key: string, name: string, url: string }

export const boundedInteger = (minimum: number, maximum: number): Schema => ({ type: 'integer', minimum, maximum })

export const listOf = (items: Schema): Schema => ({ type: 'array', items })

export function objectOf(properties: Schemas, required: string[] = []): Schema {
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

export function orNull(schema: Schema): Schema {
  return { ...schema, type: [schema.type ?? 'string', 'null'].flat() as SchemaType[], ...(schema.enum && { enum: [...schema.enum, null] }) }
}
