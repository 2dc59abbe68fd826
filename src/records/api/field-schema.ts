import { type Field, isRepeater, kindOf } from '../fields/index.ts'
import { orNull, type Schema } from '../fields/json-schema.ts'
import type { BaseField } from '../fields/kind.ts'

/** What a value of a field is in JSON, as records hold it and bodies send it. */
export function schemaOf(field: Field): Schema {
  const { json } = kindOf(field)
  const schema = json.schema(field, schemaOf as (field: BaseField) => Schema)
  if (isRepeater(field)) return schema
  const described = { ...schema, description: field.label }
  return json.filled ? described : orNull(described)
}
