import { type Field, isRepeater, kindOf } from '../fields/index.ts'
import { integer, listOf, objectOf, orNull, type Schema } from '../fields/json-schema.ts'
import type { BaseField } from '../fields/kind.ts'
import { isRequired, type Mode } from '../form/form.ts'

/** What a value of a field is in JSON, as records hold it and bodies send it. */
export function schemaOf(field: Field): Schema {
  const { json } = kindOf(field)
  const schema = json.schema(field, schemaOf as (field: BaseField) => Schema)
  if (isRepeater(field)) return schema
  const described = { ...schema, description: field.label }
  return json.filled ? described : orNull(described)
}

/** What a body may send for a field: nothing that is only read, and nothing empty where something is required. */
export function writtenSchemaOf(field: Field, mode: Mode): Schema {
  const { json, hashed } = kindOf(field)
  if (!isRepeater(field)) {
    const takesNothing = !isRequired(field, mode) || (mode === 'edit' && hashed)
    return takesNothing ? schemaOf(field) : { ...json.schema(field, schemaOf as (field: BaseField) => Schema), description: field.label }
  }
  const parts = Object.entries(field.rows).filter(([, part]) => kindOf(part).json.read)
  const properties = Object.fromEntries(parts.map(([name, part]) => [name, schemaOf(part)]))
  return listOf({ ...objectOf({ ...(field.key === 'id' && { id: integer }), ...properties }), additionalProperties: false })
}
