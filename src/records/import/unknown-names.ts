import { fold } from '../../core/text.ts'
import type { RowResult } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { Import, ImportKind } from './import.ts'

type Sheet = Pick<Import, 'answers'>

const keyOf = (field: string, text: string) => `${field} ${fold(text)}`

export const isToBeAdded = ({ answers }: Sheet, field: string, text: string): boolean => answers[keyOf(field, text)] === 'add'

export const isToBeLeftOut = ({ answers }: Sheet, field: string, text: string): boolean => answers[keyOf(field, text)] === 'leave'

const isRecord = 'is '

/** The name of the record that is meant. */
export function meantName({ answers }: Sheet, field: string, text: string): string | undefined {
  const answer = answers[keyOf(field, text)]
  return answer?.startsWith(isRecord) ? answer.slice(isRecord.length) : undefined
}

const mostNames = 50
const mostSimilar = 5

/** The names about which the page of an import asks, with what was answered and what is called alike. */
export function unknownNames(context: Context, { finders }: ImportKind, sheet: Sheet, results: RowResult[]) {
  const asked = new Map(results.flatMap(({ asked = [] }) => asked.map((one) => [keyOf(one.field, one.text), one] as const)))
  return [...asked].slice(0, mostNames).map(([key, { field, text }]) => {
    const similar = finders?.[field]?.(context, { query: longestWord(text) }).slice(0, mostSimilar) ?? []
    const meant = meantName(sheet, field, text)
    const options = similar.map(({ name }) => ({ value: isRecord + name, name }))
    const other = meant !== undefined && !options.some(({ name }) => name === meant) ? meant : ''
    return { key: `${field} ${text}`, text, answer: other ? '' : (sheet.answers[key] ?? ''), options, other }
  })
}

const longestWord = (text: string) =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? ['']).reduce((best, word) => (word.length > best.length ? word : best))

/** What was answered before, and now: a list of names, of answers to them, and of names of records that are typed. */
export function readAnswers({ answers }: Sheet, body: URLSearchParams): Record<string, string> {
  const [said, typed] = [body.getAll('answers'), body.getAll('others')]
  const given = body.getAll('names').map((name, at): [string, string] => {
    const [field = '', ...text] = name.split(' ')
    const other = typed[at]?.trim()
    const answer = other ? isRecord + other : (said[at] ?? '')
    if (!['', 'add', 'leave'].includes(answer) && !answer.startsWith(isRecord)) throw new HttpError(422, 'Invalid value')
    return [keyOf(field, text.join(' ')), answer.slice(0, 300)]
  })
  return Object.fromEntries([...Object.entries(answers), ...given])
}
