import { type Fault, faultsOfRules, type TextRule } from './fault.ts'

const tags = /\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}|\{#[\s\S]*?#\}|\[%[\s\S]*?%\]|\[\[[\s\S]*?\]\]/g

const conditions: TextRule[] = [
  { kind: 'condition negated', pattern: /(?<=^[{[]%-? (?:el)?if )[\s\S]+?(?= -?%[}\]]$)/g, replace: (condition) => `not (${condition})` },
  {
    kind: 'condition negated',
    pattern: /(?<= if )(?!.* if )[^{}]+?(?= else | -?\}\}$| -?\]\]$)/g,
    replace: (condition) => `not (${condition})`,
  },
  { kind: 'part of a condition exchanged', pattern: / and /g, replace: () => ' or ' },
  { kind: 'part of a condition exchanged', pattern: / or /g, replace: () => ' and ' },
  { kind: 'negation dropped', pattern: /\bnot /g, replace: () => '' },
  { kind: 'comparison exchanged', pattern: / ===? /g, replace: () => ' != ' },
  { kind: 'comparison exchanged', pattern: / !==? /g, replace: () => ' == ' },
  { kind: 'boundary moved', pattern: / ([<>]) /g, replace: (_, sign) => ` ${sign}= ` },
  { kind: 'boundary moved', pattern: / ([<>])= /g, replace: (_, sign) => ` ${sign} ` },
  { kind: 'number raised', pattern: /(?<=[ ([])\d+(?=[ )\],])/g, replace: (number) => String(Number(number) + 1) },
  { kind: 'calculation exchanged', pattern: /(?<=\w) \+ (?=\d)/g, replace: () => ' - ' },
  { kind: 'calculation exchanged', pattern: /(?<=\w) - (?=\d|\w)/g, replace: () => ' + ' },
  { kind: 'filter dropped', pattern: / \| \w+(?:\([^)]*\))?/g, replace: () => '' },
]

const outputs: TextRule[] = [
  { kind: 'output dropped', pattern: /^(\{\{|\[\[)[\s\S]+$/g, replace: () => '' },
  { kind: 'part of the page dropped', pattern: /^\{%-? include [\s\S]+$/g, replace: () => '' },
]

/** What is only looks is not a fault that a test should notice. */
const attribute = /\s(?!class=|style=)[a-z][\w:-]*="(?:\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\[\[[\s\S]*?\]\]|[^"])*"/g

const member = /\b([a-z]\w*)\.([a-z]\w*)\b(?!\()/gi

export function faultsInTemplate(source: string): Fault[] {
  const found = [...source.matchAll(tags)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }))
  const code = found.filter(({ start }) => source[start + 1] !== '#')
  const inTags = code.flatMap(({ start, end }) => [
    ...faultsOfRules([...conditions, ...outputs], source, start, end),
    ...exchangedMembers(source, start, end),
  ])
  const isInTag = (position: number) => found.some(({ start, end }) => position > start && position < end)
  const droppedAttributes = faultsOfRules([{ kind: 'attribute dropped', pattern: attribute, replace: () => '' }], source)
  return [...inTags, ...droppedAttributes.filter(({ start }) => !isInTag(start))]
}

/** What the same template uses of the same thing: `order.amount` for `order.price`. */
function exchangedMembers(source: string, from: number, to: number): Fault[] {
  return [...source.slice(from, to).matchAll(member)].flatMap(({ index, 0: whole, 1: owner = '', 2: name = '' }) => {
    const names = [...new Set([...source.matchAll(member)].filter((other) => other[1] === owner).map((other) => other[2] as string))]
    const other = names[(names.indexOf(name) + 1) % names.length]
    if (!other || other === name) return []
    return [{ kind: 'value exchanged', start: from + index, end: from + index + whole.length, text: `${owner}.${other}` }]
  })
}
