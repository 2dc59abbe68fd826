import { Column, is } from 'drizzle-orm'

/** What drizzle keeps of a prepared select. */
interface Select<Row> {
  get(values?: Record<string, unknown>): Row | undefined
  all(values?: Record<string, unknown>): Row[]
  values(values?: Record<string, unknown>): unknown[][]
}

type Decode = (value: unknown) => unknown

/** Where a value of a row goes: into a property, or into a part of one. */
interface Place {
  name: string
  part?: string
  decode?: Decode
}

/**
 * The same prepared select, deciding once what its columns need and not anew for every value of every row.
 * What was joined and has no value at all is null.
 */
export function mapped<Row, Query extends Select<Row>>(query: Query & Select<Row>): Select<Row> {
  const read = reader<Row>(placesOf(query))
  const all = (values?: Record<string, unknown>) => query.values(values).map(read)
  return { all, get: (values) => all(values)[0], values: (values) => query.values(values) }
}

function placesOf(query: object): Place[] {
  const { fields } = query as { fields: { path: [string, string?]; field: unknown }[] }
  return fields.map(({ path: [name, part], field }) => ({ name, part, decode: decoderOf(field) }))
}

/** Most values are taken as they come. */
function decoderOf(field: unknown): Decode | undefined {
  const decoder = is(field, Column) ? field : (field as { decoder: { mapFromDriverValue: Decode } }).decoder
  return decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue ? undefined : (value) => decoder.mapFromDriverValue(value)
}

function reader<Row>(places: Place[]): (values: unknown[]) => Row {
  const parts = new Set(places.filter(({ part }) => part).map(({ name }) => name))
  return (values) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < places.length; index++) put(row, places[index] as Place, values[index])
    for (const name of parts) if (Object.values(row[name] as object).every((value) => value === null)) row[name] = null
    return row as Row
  }
}

function put(row: Record<string, unknown>, { name, part, decode }: Place, given: unknown): void {
  const value = given === null || !decode ? given : decode(given)
  if (!part) {
    row[name] = value
    return
  }
  row[name] ??= {}
  ;(row[name] as Record<string, unknown>)[part] = value
}
