import { string } from './json-schema.ts'
import { type BaseField, type Declared, FieldError, type FieldKind, type FieldOptions, formatPlain, readText } from './kind.ts'
import { normalizeLineFeeds } from './text.ts'

export interface RichTextField extends BaseField {
  kind: 'richText'
  maxBytes: number
  /** What is wrong with a text besides its size. */
  refuse?: (html: string) => string | undefined
}

export function richText<const O extends FieldOptions & Pick<RichTextField, 'maxBytes' | 'refuse'>>(label: string, options: O) {
  return { ...options, kind: 'richText', label } as unknown as Declared<RichTextField, string | null, O>
}

export const richTextKind: FieldKind<RichTextField, string> = {
  parse,
  show,
  describe: String,
  accept: (value, stored) => (show(value) === show(stored) ? stored : value),
  json: { schema: ({ maxBytes }) => ({ ...string, maxLength: maxBytes }), show: (value) => value, read: readText(parse) },
  input: { macro: 'richText', wide: true, whenDisabled: true, loads: 'writes' },
}

function parse(typed: string, { maxBytes, refuse }: RichTextField): string | null {
  const html = normalizeLineFeeds(typed)
  if (html.includes('\0')) throw new FieldError('Remove unsupported characters.')
  if (Buffer.byteLength(html) > maxBytes) throw new FieldError('Text is limited to {max} MB.', { max: maxBytes / 1024 ** 2 })
  const problem = refuse?.(html)
  if (problem) throw new FieldError(problem)
  return html === '' ? null : html
}

/** An input loses carriage returns, so that an unchanged one must keep the stored text. */
function show(value: unknown): string {
  return normalizeLineFeeds(formatPlain(value))
}
