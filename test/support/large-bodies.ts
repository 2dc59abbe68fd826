/** The worst that a body of a megabyte can be, by what it is made of. */
const most = 1024 ** 2

const urlencoded = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=x'
const json = 'application/json'

export interface LargeBody {
  name: string
  type: string
  payload: string
  /** Refused by the service before any route reads it. */
  refused?: true
  /** What tells most of a route. */
  telling?: true
}

/** @param field a field of the form, if there is one, that takes a text; @param rows one that takes rows */
export function largeBodies(field = 'name', rows = 'items', parts: readonly string[] = ['name', 'quantity']): LargeBody[] {
  const bodies: LargeBody[] = [
    ...['a&', '%41&', 'я&', '&a', 'a=&'].map((part) => refused(`names ${part}`, urlencoded, fill(part, most - 10))),
    ...['+', '%22', '%', '=', '<'].map((part) => ({
      name: `a text of ${part}`,
      type: urlencoded,
      payload: `${field}=${fill(part, most - 100)}`,
    })),
    { name: 'a name of blanks', type: urlencoded, payload: fill('+', most - 10) },
    ...['back', 'next', 'address'].map((name) => addressed(name, urlencoded, `${name}=%3F${fill('a%26', most - 100)}`)),
    {
      name: 'rows',
      type: urlencoded,
      payload: rowsOf(rows, parts, 5990)
        .map(([name]) => `${name}=1`)
        .join('&'),
    },
    {
      name: 'rows of one part each',
      type: urlencoded,
      payload: rowsOf(rows, parts.slice(0, 1), 5990)
        .map(([name]) => `${name}=%22`)
        .join('&'),
    },
    {
      name: 'full rows',
      type: urlencoded,
      payload: fullRows(rows, parts)
        .map((pair) => pair.map(encodeURIComponent).join('='))
        .join('&'),
    },
    refused('too many parts', multipart, form(Array.from({ length: 6001 }, (_, at) => [`a${at}`, '']))),
    { name: 'a text in parts', type: multipart, payload: form([[field, fill('"', most - 1000)]]) },
    { name: 'rows in parts', type: multipart, payload: form(rowsOf(rows, parts, 5990)) },
    ...['back', 'next', 'address'].map((name) => addressed(`${name} in parts`, multipart, form([[name, `?${fill('a&', most - 1000)}`]]))),
    ...[
      ['an array', `[${fill('1,', most - 10)}1]`],
      ['a text', JSON.stringify(fill('"', most / 2 - 10))],
      ['deep', fill('[', most / 2 - 10) + fill(']', most / 2 - 10)],
      ['a deep object', `${fill('{"a":', most / 7)}1${'}'.repeat(Math.floor(most / 7 / 5))}`],
      ['many names', `{${Array.from({ length: 90_000 }, (_, at) => `"a${at}":1`).join()}}`],
      ['an array in a field', `{"${rows}":[${fill('1,', most - 100)}1]}`],
      ['objects in a field', `{"${rows}":[${fill('{},', most - 100)}{}]}`],
      ['a text in a field', `{"${field}":"${fill('\\"', most - 100)}"}`],
      ['an array in a text', `{"${field}":[${fill('"a",', most - 100)}"a"]}`],
    ].map(([name = '', payload = '']) => ({ name: `JSON: ${name}`, type: json, payload })),
    ...[urlencoded, json].map((type) => refused(`a byte more of ${type}`, type, ' '.repeat(most * 8 + 1))),
  ]
  return bodies.map((body) => (telling.includes(body.name) ? { ...body, telling: true } : body))
}

const telling = ['a text in parts', 'rows', 'JSON: objects in a field', 'JSON: a text in a field']

const refused = (name: string, type: string, payload: string): LargeBody => ({ name, type, payload, refused: true })
const addressed = refused

const fill = (part: string, length: number) => part.repeat(Math.floor(length / Buffer.byteLength(part)))

function rowsOf(rows: string, parts: readonly string[], count: number): [name: string, value: string][] {
  return Array.from({ length: count }, (_, at) => [`${rows}[${Math.floor(at / parts.length)}][${parts[at % parts.length]}]`, '"'])
}

/** As many rows as a form has, each part as long as all together may be, and as many other fields as there is room for. */
function fullRows(rows: string, parts: readonly string[]): [name: string, value: string][] {
  const named = rowsOf(rows, parts, 200 * parts.length)
  const length = Math.floor(most / 7 / named.length)
  const others = Array.from({ length: 5990 - named.length }, (_, at): [string, string] => [`a${at}`, ''])
  return [...others, ...named.map(([name]): [string, string] => [name, '"'.repeat(length)])]
}

function form(fields: [name: string, value: string][]): string {
  const parts = fields.map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
  return `${parts.join('')}--x--\r\n`
}
