import type { Part } from './outline.ts'

const width = 170
/** What belongs to the label, title or term before it. */
const continues = /^(?:dd|ins|del|input|button|p|span|select|textarea|strong|small|time) /

/** An element on one line with those in it, if they fit. */
export function printParts(parts: Part[], indent = ''): string[] {
  const lines: string[] = []
  let isOpen = false
  for (const part of parts) {
    const whole = printWhole(part)
    const fits = part.within.length === 0 || indent.length + whole.length <= width
    const joined = `${lines.at(-1)}; ${whole}`
    if (!fits) lines.push(indent + part.line, ...printParts(part.within, `${indent} `))
    else if (isOpen && continues.test(whole) && joined.length <= width) lines.splice(-1, 1, joined)
    else lines.push(indent + whole)
    isOpen = fits
  }
  return lines
}

function printWhole({ line, within }: Part): string {
  const [first, ...others] = within.map(printWhole)
  if (first === undefined) return line
  return `${line} > ${others.length > 0 ? `[${[first, ...others].join('; ')}]` : first}`
}

/** Each element on a line of its own. */
export const linesOf = (parts: Part[], indent = ''): string[] =>
  parts.flatMap(({ line, within }) => [indent + line, ...linesOf(within, `${indent} `)])

/** Texts one after the other, as many as fit on a line. */
export function fillLines(texts: string[], start = ''): string[] {
  const lines: string[] = []
  for (const text of texts) {
    const joined = `${lines.at(-1)}; ${text}`
    if (lines.length > 0 && joined.length <= width) lines.splice(-1, 1, joined)
    else lines.push(start + text)
  }
  return lines
}

/** What only the first has with `-`, and how much is in it; what only the second has with `+`. */
export function printDifference(before: string[], after: string[]): string[] {
  const common = commonLengths(before, after)
  const runs: { sign: string; lines: string[] }[] = [{ sign: '', lines: [] }]
  const add = (sign: string, ...lines: string[]) => {
    const last = runs.at(-1)
    if (last?.sign === sign) last.lines.push(...lines)
    else runs.push({ sign, lines })
  }
  let [from, to] = [0, 0]
  while (from < before.length || to < after.length) {
    const [old, fresh] = [before[from], after[to]]
    const isOld = old !== undefined && (fresh === undefined || at(common, from + 1, to) >= at(common, from, to + 1))
    if (old !== undefined && old === fresh) add('')
    else if (isOld) add('- ', old)
    else add('+ ', fresh as string)
    if (old === fresh || isOld) from++
    if (old === fresh || !isOld) to++
  }
  return runs.flatMap(({ sign, lines }) =>
    fillLines(
      (sign === '- ' ? heads(lines) : lines).map((line) => line.trim()),
      sign,
    ),
  )
}

/** Lines with the number of those that are in them. */
function heads(lines: string[]): string[] {
  const [first, ...others] = lines
  if (first === undefined) return []
  const end = others.findIndex((line) => depthOf(line) <= depthOf(first))
  const count = end < 0 ? others.length : end
  return [count > 0 ? `${first} (with ${count} in it)` : first, ...heads(others.slice(count))]
}

const depthOf = (line: string) => line.length - line.trimStart().length

const at = (lengths: number[][], from: number, to: number) => lengths[from]?.[to] ?? 0

/** For each two ends of the lists how many lines they have in common, in their order. */
function commonLengths(before: string[], after: string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let from = before.length - 1; from >= 0; from--)
    for (let to = after.length - 1; to >= 0; to--) {
      const row = lengths[from] as number[]
      row[to] =
        before[from] === after[to] ? at(lengths, from + 1, to + 1) + 1 : Math.max(at(lengths, from + 1, to), at(lengths, from, to + 1))
    }
  return lengths
}
