import type { Answer } from './cabinet.ts'

type Attributes = Record<string, string>

export interface Row {
  id: number
  cells: Record<string, string>
  html: string
}

export interface Control {
  name: string
  id: string
  type: string
  value: string
  disabled: boolean
  required: boolean
  invalid: boolean
  describedBy: string[]
  options: { value: string; text: string; selected: boolean }[]
}

const namedEntities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Text without its character references. */
export function decode(text: string): string {
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (decimal) return String.fromCodePoint(Number(decimal))
    return namedEntities[name] ?? whole
  })
}

/** What a reader of some markup sees. */
export function textOf(html: string): string {
  return decode(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()
}

export function attributesOf(tag: string): Attributes {
  const inside = tag.replace(/^<\w+/, '')
  return Object.fromEntries([...inside.matchAll(/([\w:.-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name, decode(value ?? '')]))
}

/** The markup of the element with this id, as far as its own closing tag. */
export function elementById(answer: Answer, id: string): string | undefined {
  const start = answer.body.search(new RegExp(`<\\w+\\b[^>]*\\bid="${id.replaceAll('.', '\\.')}"`))
  if (start < 0) return undefined
  const name = /^<(\w+)/.exec(answer.body.slice(start))?.[1]
  const rest = answer.body.slice(start)
  let depth = 0
  for (const tag of rest.matchAll(new RegExp(`<(/?)${name}\\b[^>]*>`, 'g'))) {
    depth += tag[1] ? -1 : 1
    if (depth === 0) return rest.slice(0, tag.index + tag[0].length)
  }
  return rest
}

/** The rows of a list's table region, with their cells by column key. */
export function rowsOf(answer: Answer, list: string): Row[] {
  const pattern = new RegExp(`<tr\\b[^>]*\\bid="${list}-(\\d+)"[^>]*>([\\s\\S]*?)</tr>`, 'g')
  return [...answer.body.matchAll(pattern)].map(([html, id, inside]) => ({ id: Number(id), cells: cellsOf(inside as string), html }))
}

export function cellsOf(html: string): Record<string, string> {
  const cells = html.matchAll(/<td\b[^>]*\bdata-col="([^"]+)"[^>]*>([\s\S]*?)<\/td>/g)
  return Object.fromEntries([...cells].map(([, key, inside]) => [key, textOf(inside as string)]))
}

export const idsOf = (answer: Answer, list: string) => rowsOf(answer, list).map((row) => row.id)

/** The column keys of a table's head, in order. */
export function columnsOf(answer: Answer): string[] {
  return [...answer.body.matchAll(/<th\b[^>]*\bdata-col="([^"]+)"/g)].map(([, key]) => key as string)
}

/** What the table region says it found; undefined when there is no such region. */
export function totalOf(answer: Answer, list: string): number | undefined {
  const section = tagsOf(answer.body, 'section').find((attributes) => attributes.id === `${list}-table`)
  return section?.['data-total'] === undefined ? undefined : Number(section['data-total'])
}

/** The switch of a row, or of a single cell. */
export function switchOf(html: string): { checked: boolean; disabled: boolean } | undefined {
  const button = tagsOf(html, 'button').find((attributes) => attributes.role === 'switch')
  return button && { checked: button['aria-checked'] === 'true', disabled: 'disabled' in button }
}

/** Every control of the page's forms that has a name, in order; hidden ones too. */
export function controlsOf(html: string): Control[] {
  const tags = html.matchAll(/<(input|select|textarea|button)\b[^>]*>/g)
  return [...tags].flatMap((match) => control(html, match))
}

/** The control that a person sees under this name. */
export function fieldOf(answer: Answer, name: string): Control | undefined {
  const controls = controlsOf(answer.body).filter((one) => one.name === name)
  return controls.find((one) => one.type !== 'hidden') ?? controls[0]
}

/** Values of the hidden inputs of this name. */
export function hiddenOf(answer: Answer, name: string): string[] {
  return controlsOf(answer.body)
    .filter((one) => one.name === name && one.type === 'hidden')
    .map((one) => one.value)
}

/** The fields marked as wrong, with their messages: only those that carry every hook of the contract. */
export function errorsOf(answer: Answer): Record<string, string> {
  const wrong = controlsOf(answer.body).filter((one) => one.invalid)
  const entries = wrong.flatMap((one) => {
    const id = one.describedBy.find((described) => described.endsWith('-error'))
    const message = id && elementById(answer, id)
    return id && message ? [[id.slice(0, -'-error'.length), textOf(message)]] : []
  })
  return Object.fromEntries(entries)
}

/** The texts of elements with a role: `alert` and `status`. */
export function textsByRole(answer: Answer, role: 'alert' | 'status'): string[] {
  const pattern = new RegExp(`<(\\w+)\\b[^>]*\\brole="${role}"[^>]*>([\\s\\S]*?)</\\1>`, 'g')
  return [...answer.body.matchAll(pattern)].map(([, , inside]) => textOf(inside as string)).filter(Boolean)
}

/** Whether an answer is a complete document, not a fragment. */
export function isDocument(answer: Answer): boolean {
  return /^\s*<!doctype html>/i.test(answer.body) && answer.body.includes('</html>')
}

export function tagsOf(html: string, name: string): Attributes[] {
  return [...html.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'g'))].map(([tag]) => attributesOf(tag))
}

function control(html: string, match: RegExpExecArray): Control[] {
  const attributes = attributesOf(match[0])
  if (!attributes.name) return []
  const kind = match[1] as string
  const inside = kind === 'input' ? '' : (html.slice(match.index + match[0].length).split(`</${kind}>`)[0] as string)
  const options = kind === 'select' ? optionsOf(inside) : []
  return [
    {
      name: attributes.name,
      id: attributes.id ?? '',
      type: kind === 'input' ? (attributes.type ?? 'text') : kind,
      value: displayedValue(kind, attributes, inside, options),
      disabled: 'disabled' in attributes,
      required: 'required' in attributes,
      invalid: attributes['aria-invalid'] === 'true',
      describedBy: (attributes['aria-describedby'] ?? '').split(' ').filter(Boolean),
      options,
    },
  ]
}

function displayedValue(kind: string, attributes: Attributes, inside: string, options: Control['options']): string {
  if (kind === 'select') return options.find((option) => option.selected)?.value ?? ''
  if (kind === 'textarea') return decode(inside)
  if (attributes.type === 'checkbox') return 'checked' in attributes ? '1' : '0'
  return attributes.value ?? ''
}

function optionsOf(html: string): Control['options'] {
  return [...html.matchAll(/(<option\b[^>]*>)([^<]*)/g)].map(([, tag, text]) => {
    const attributes = attributesOf(tag as string)
    return { value: attributes.value ?? textOf(text as string), text: textOf(text as string), selected: 'selected' in attributes }
  })
}
