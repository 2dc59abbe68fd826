/** What is issued of an order. */
export const documentKinds = ['invoice', 'specification', 'offer', 'delivery_note'] as const
export type DocumentKind = (typeof documentKinds)[number]

export const isDocumentKind = (text: string | null | undefined): text is DocumentKind => documentKinds.some((kind) => kind === text)

/** The specification has the number of its order; all others are numbered by year. */
export const numberedKinds = ['invoice', 'offer', 'delivery_note'] as const
export type NumberedKind = (typeof numberedKinds)[number]

export const isNumbered = (kind: DocumentKind): kind is NumberedKind => numberedKinds.some((one) => one === kind)

export const documentStates = ['issued', 'replaced', 'canceled'] as const
export type DocumentState = (typeof documentStates)[number]

/** Those that say what an order costs. */
export const pricedKinds: readonly DocumentKind[] = ['invoice', 'specification', 'offer']

/** Fields of an order that hold documents of these kinds: a step that requires one can issue it. */
export const issuableKinds = ['specification', 'invoice'] as const
export type IssuableKind = (typeof issuableKinds)[number]

export const isIssuable = (kind: DocumentKind): kind is IssuableKind => issuableKinds.some((one) => one === kind)

export const placeholders = ['n', 'yyyy', 'yy', 'mm', 'order'] as const

interface Numbered {
  n: number
  /** YYYY-MM-DD */
  day: string
  order: number
}

/** @param pattern one that `findPatternProblem` finds nothing wrong with */
export function documentNumber(pattern: string, { n, day, order }: Numbered): string {
  const values: Record<string, string> = {
    n: String(n),
    yyyy: day.slice(0, 4),
    yy: day.slice(2, 4),
    mm: day.slice(5, 7),
    order: String(order),
  }
  return pattern.replace(placeholder, (written, name: string) => values[name] ?? written)
}

/** Why numbers of a pattern would not tell documents apart, or would say what nobody meant. */
export function findPatternProblem(pattern: string): string | undefined {
  const names = [...pattern.matchAll(placeholder)].map(([, name]) => name)
  if (names.filter((name) => name === 'n').length !== 1) return 'Name the number once, as {n}.'
  if (/[{}]/.test(pattern.replace(placeholder, ''))) return 'Only {n}, {yyyy}, {yy}, {mm}, and {order} are filled in.'
  if (/[\d}]\{n\}|\{n\}[\d{]/.test(pattern)) return 'Separate {n} from other digits, as in {yy}-{n}.'
}

const placeholder = new RegExp(`\\{(${placeholders.join('|')})\\}`, 'g')
