import { type Fault, faultsOfRules, type TextRule } from './fault.ts'

/** Also for the SQL in template strings of TypeScript, which is often only a part of a statement. */
const rules: TextRule[] = [
  { kind: 'part of a condition exchanged', pattern: /\band\b(?! \d)/gi, replace: () => 'OR' },
  { kind: 'part of a condition exchanged', pattern: /\bor\b(?! (replace|ignore))/gi, replace: () => 'AND' },
  { kind: 'negation exchanged', pattern: /\bis not\b/gi, replace: () => 'IS' },
  { kind: 'negation exchanged', pattern: /\bis\b(?! not)/gi, replace: () => 'IS NOT' },
  { kind: 'negation dropped', pattern: /\bnot (?=(in|exists|glob|like)\b)/gi, replace: () => '' },
  { kind: 'order turned round', pattern: / desc\b/gi, replace: () => ' asc' },
  { kind: 'order turned round', pattern: / asc\b/gi, replace: () => ' desc' },
  { kind: 'comparison exchanged', pattern: / = (?!case)/g, replace: () => ' <> ' },
  { kind: 'comparison exchanged', pattern: / <> /g, replace: () => ' = ' },
  { kind: 'boundary moved', pattern: / ([<>]) /g, replace: (_, sign) => ` ${sign}= ` },
  { kind: 'boundary moved', pattern: / ([<>])= /g, replace: (_, sign) => ` ${sign} ` },
  { kind: 'calculation exchanged', pattern: / \+ /g, replace: () => ' - ' },
  { kind: 'calculation exchanged', pattern: / - /g, replace: () => ' + ' },
  { kind: 'number raised', pattern: /(?<![\w.'"])\d+(?![\w.'"])/g, replace: (number) => String(Number(number) + 1) },
  { kind: 'extreme exchanged', pattern: /\bmax\(/gi, replace: () => 'min(' },
  { kind: 'extreme exchanged', pattern: /\bmin\(/gi, replace: () => 'max(' },
]

const wholeStatements: TextRule[] = [
  { kind: 'condition of a trigger dropped', pattern: / WHEN (?:(?!BEGIN|CREATE)[^;])+(?= BEGIN\n)/g, replace: () => '' },
  { kind: 'statement dropped', pattern: /\n {2}(?:UPDATE|INSERT|DELETE)[^;]+;/g, replace: () => '\n  SELECT 1;' },
]

const watchedColumns = /UPDATE OF ([\w, ]+) ON/g

export function faultsInSql(source: string): Fault[] {
  return [...faultsInSqlPart(source), ...faultsOfRules(wholeStatements, source), ...unwatchedColumns(source)]
}

export function faultsInSqlPart(source: string, from = 0, to = source.length): Fault[] {
  return faultsOfRules(rules, source, from, to).filter(({ start }) => !isInComment(source, start))
}

function isInComment(source: string, position: number): boolean {
  return source.slice(source.lastIndexOf('\n', position) + 1, position).includes('-- ')
}

function unwatchedColumns(source: string): Fault[] {
  return [...source.matchAll(watchedColumns)].flatMap(({ index, 0: { length }, 1: list = '' }) => {
    const columns = list.split(', ')
    if (columns.length < 2) return []
    return columns.map((column) => {
      const text = `UPDATE OF ${columns.filter((one) => one !== column).join(', ')} ON`
      return { kind: 'column of a trigger dropped', start: index, end: index + length, text }
    })
  })
}
