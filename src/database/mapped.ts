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
  index: number
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
  return fields.map(({ path: [name, part], field }, index) => ({ index, name, part, decode: decoderOf(field) }))
}

/** Most values are taken as they come. */
function decoderOf(field: unknown): Decode | undefined {
  const decoder = is(field, Column) ? field : (field as { decoder: { mapFromDriverValue: Decode } }).decoder
  return decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue ? undefined : (value) => decoder.mapFromDriverValue(value)
}

/** Written out as one literal: rows whose shape is known from the beginning are made and read fastest. */
function reader<Row>(places: Place[]): (values: unknown[]) => Row {
  const decoders = places.map(({ decode }) => decode)
  const names = [...new Set(places.map(({ name }) => name))]
  const row = names.map((name) => property(name, valueOrParts(places.filter((place) => place.name === name))))
  return new Function('decoders', `return (values) => ({ ${row} })`)(decoders)
}

function valueOrParts(places: Place[]): string {
  const [first] = places as [Place]
  if (!first.part) return value(first)
  const empty = places.map(({ index }) => `values[${index}] === null`).join(' && ')
  return `${empty} ? null : { ${places.map((place) => property(place.part as string, value(place)))} }`
}

function property(name: string, value: string): string {
  return `${JSON.stringify(name)}: ${value}`
}

function value({ index, decode }: Place): string {
  const given = `values[${index}]`
  return decode ? `${given} === null ? null : decoders[${index}](${given})` : given
}
