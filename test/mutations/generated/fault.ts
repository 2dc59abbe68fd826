/** A small change of a source, of the kind that programmers make by mistake: `text` instead of what stands from `start` to `end`. */
export interface Fault {
  /** What was done, such as `condition negated`. */
  kind: string
  start: number
  end: number
  text: string
  /** A line that the changed source needs at its end, such as an import. */
  needs?: string
}

/** Replacements of the whole of what each pattern finds. */
export interface TextRule {
  kind: string
  pattern: RegExp
  replace: (...found: string[]) => string
}

/** The faults that rules of text make in a part of a source. */
export function faultsOfRules(rules: readonly TextRule[], source: string, from = 0, to = source.length): Fault[] {
  const part = source.slice(from, to)
  return rules.flatMap(({ kind, pattern, replace }) =>
    [...part.matchAll(pattern)].map((found) => {
      const start = from + found.index
      return { kind, start, end: start + found[0].length, text: replace(...found) }
    }),
  )
}

export function applyFault(source: string, { start, end, text, needs = '' }: Fault): string {
  return source.slice(0, start) + text + source.slice(end) + needs
}

/** A unified diff with two lines around what changed. */
export function diffOf(path: string, source: string, fault: Fault): string {
  const [before, after] = [source, applyFault(source, { ...fault, needs: '' })].map((text) => text.split('\n')) as [string[], string[]]
  const first = before.findIndex((line, index) => line !== after[index])
  const shift = after.length - before.length
  let last = before.length - 1
  while (last > first && last + shift >= first && before[last] === after[last + shift]) last -= 1
  const from = Math.max(0, first - 2)
  const tail = before.slice(last + 1, last + 3)
  const lines = [
    ...before.slice(from, first).map((line) => ` ${line}`),
    ...before.slice(first, last + 1).map((line) => `-${line}`),
    ...after.slice(first, last + shift + 1).map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ]
  const length = last + 1 + tail.length - from
  return [`--- a/${path}`, `+++ b/${path}`, `@@ -${from + 1},${length} +${from + 1},${length + shift} @@ ${fault.kind}`, ...lines].join(
    '\n',
  )
}
