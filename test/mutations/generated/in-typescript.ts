import ts from 'typescript'
import type { Fault } from './fault.ts'
import { faultsInSqlPart } from './in-sql.ts'

type Change = Omit<Fault, 'kind'>

/** Changes that do not compile are found later by the compiler. */
const kinds: [kind: string, changes: (node: ts.Node, file: ts.SourceFile) => Change[]][] = [
  ['condition negated', negateCondition],
  ['condition never true', (node) => (ts.isIfStatement(node) ? [replace(node.expression, 'false')] : [])],
  ['negation dropped', (node) => (isNot(node) ? [replace(node, node.operand.getText())] : [])],
  ['part of a condition dropped', dropPartOfCondition],
  ['comparison exchanged', (node) => exchangeOperator(node, comparisons)],
  ['boundary moved', (node) => exchangeOperator(node, boundaries)],
  ['calculation exchanged', (node) => exchangeOperator(node, calculations)],
  ['constant exchanged', exchangeBoolean],
  ['number changed', changeNumber],
  ['text emptied', emptyText],
  ['part of a text dropped', dropPartOfText],
  ['arguments swapped', swapArguments],
  ['argument dropped', dropLastArgument],
  ['function exchanged', exchangeFunction],
  ['clause dropped', dropClause],
  ['step dropped', dropStep],
  ['statement removed', removeStatement],
  ['property dropped', dropProperty],
  ['element dropped', dropElement],
  ['value exchanged', exchangeMember],
]

export function faultsInTypeScript(source: string): Fault[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
  const faults: Fault[] = []
  const visit = (node: ts.Node) => {
    if (isWithoutEffect(node)) return
    for (const [kind, changes] of kinds) faults.push(...changes(node, file).map((change) => ({ kind, ...change })))
    if (isSql(node)) faults.push(...faultsInSqlTemplate(node, source))
    ts.forEachChild(node, visit)
  }
  visit(file)
  return faults
}

/** Types, imports, and what is only logged. */
function isWithoutEffect(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isModuleDeclaration(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isTypeNode(node)) return true
  return ts.isExpressionStatement(node) && /^(await )?[\w.]*\b(log|console)\.\w+\(/.test(node.getText())
}

function replace(node: ts.Node, text: string): Change {
  return { start: node.getStart(), end: node.getEnd(), text }
}

function negateCondition(node: ts.Node): Change[] {
  const condition = ts.isConditionalExpression(node) ? node.condition : isIfOrWhile(node) ? node.expression : undefined
  return condition && !isNot(condition) ? [replace(condition, `!(${condition.getText()})`)] : []
}

function isIfOrWhile(node: ts.Node): node is ts.IfStatement | ts.WhileStatement {
  return ts.isIfStatement(node) || ts.isWhileStatement(node)
}

function isNot(node: ts.Node): node is ts.PrefixUnaryExpression {
  return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken
}

function dropPartOfCondition(node: ts.Node): Change[] {
  if (!ts.isBinaryExpression(node) || !['&&', '||', '??'].includes(node.operatorToken.getText())) return []
  return [replace(node, node.left.getText()), replace(node, node.right.getText())]
}

const comparisons = { '===': '!==', '!==': '===', '==': '!=', '!=': '==', '&&': '||', '||': '&&', '<': '>', '>': '<', '<=': '>', '>=': '<' }
const boundaries = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const calculations = { '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '+=': '-=', '-=': '+=' }

function exchangeOperator(node: ts.Node, others: Record<string, string>): Change[] {
  if (!ts.isBinaryExpression(node)) return []
  const other = others[node.operatorToken.getText()]
  return other ? [replace(node.operatorToken, other)] : []
}

function exchangeBoolean(node: ts.Node): Change[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [replace(node, 'false')]
  return node.kind === ts.SyntaxKind.FalseKeyword ? [replace(node, 'true')] : []
}

function changeNumber(node: ts.Node): Change[] {
  if (!ts.isNumericLiteral(node)) return []
  const value = Number(node.text)
  return [value + 1, value - 1].filter((changed) => changed >= 0).map((changed) => replace(node, String(changed)))
}

function emptyText(node: ts.Node): Change[] {
  if (!ts.isStringLiteral(node) && !ts.isNoSubstitutionTemplateLiteral(node)) return []
  const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node
  return !node.text || isName || isSql(node.parent) ? [] : [replace(node, "''")]
}

function dropPartOfText(node: ts.Node): Change[] {
  if (!ts.isTemplateExpression(node) || ts.isTaggedTemplateExpression(node.parent)) return []
  return node.templateSpans.map(({ expression }) => ({ start: expression.getStart() - 2, end: expression.getEnd() + 1, text: '' }))
}

type Call = ts.CallExpression | ts.NewExpression

function isCall(node: ts.Node): node is Call {
  return ts.isCallExpression(node) || ts.isNewExpression(node)
}

function swapArguments(node: ts.Node): Change[] {
  const given = isCall(node) ? [...(node.arguments ?? [])] : []
  return given.slice(1).flatMap((second, index) => {
    const first = given[index] as ts.Expression
    const [a, b] = [first.getText(), second.getText()]
    const between = first.getSourceFile().text.slice(first.getEnd(), second.getStart())
    return a === b ? [] : [{ start: first.getStart(), end: second.getEnd(), text: b + between + a }]
  })
}

function dropLastArgument(node: ts.Node): Change[] {
  const given = isCall(node) ? (node.arguments ?? []) : []
  const last = given.at(-1)
  if (!last || ts.isFunctionLike(last)) return []
  const before = given.at(-2)
  return [{ start: before ? before.getEnd() : last.getStart(), end: last.getEnd(), text: '' }]
}

const functions: Record<string, string> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'gte',
  gte: 'gt',
  lt: 'lte',
  lte: 'lt',
  asc: 'desc',
  desc: 'asc',
  and: 'or',
  or: 'and',
  isNull: 'isNotNull',
  isNotNull: 'isNull',
  inArray: 'notInArray',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  startsWith: 'includes',
  endsWith: 'includes',
  leftJoin: 'innerJoin',
  toLowerCase: 'toUpperCase',
}

const drizzle = /^(ne|eq|gte?|lte?|asc|desc|and|or|isNull|isNotNull|notInArray|inArray)$/

function exchangeFunction(node: ts.Node, file: ts.SourceFile): Change[] {
  if (!ts.isCallExpression(node)) return []
  const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
  const other = ts.isIdentifier(name) && Object.hasOwn(functions, name.text) && functions[name.text]
  if (!other) return []
  const isKnown = !drizzle.test(other) || new RegExp(`\\bimport [^;]*?\\b${other}\\b[^;]*? from 'drizzle-orm'`).test(file.text)
  return [{ ...replace(name, other), ...(!isKnown && { needs: `import { ${other} } from 'drizzle-orm'\n` }) }]
}

/** One of the conditions of a query. */
function dropClause(node: ts.Node): Change[] {
  if (!ts.isCallExpression(node) || !/^(and|or|anyOf|allOf)$/.test(node.expression.getText()) || node.arguments.length < 2) return []
  return dropEach(node.arguments)
}

const steps =
  /^(filter|where|orderBy|limit|offset|sort|toSorted|reverse|toReversed|slice|trim|trimEnd|toLowerCase|flat|distinct|optional|max|min)$/

function dropStep(node: ts.Node): Change[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression) || !steps.test(node.expression.name.text)) return []
  const { expression: owner } = node.expression
  return owner.getText() === 'Math' ? [] : [replace(node, owner.getText())]
}

function removeStatement(node: ts.Node): Change[] {
  return ts.isExpressionStatement(node) ? [replace(node, ts.isBlock(node.parent) || ts.isSourceFile(node.parent) ? '' : ';')] : []
}

function dropProperty(node: ts.Node): Change[] {
  return ts.isObjectLiteralExpression(node) ? dropEach(node.properties) : []
}

function dropElement(node: ts.Node): Change[] {
  return ts.isArrayLiteralExpression(node) ? dropEach(node.elements) : []
}

function dropEach(nodes: ts.NodeArray<ts.Node>): Change[] {
  return nodes.map((node, index) => {
    const [previous, next] = [nodes[index - 1], nodes[index + 1]]
    if (next) return { start: node.getStart(), end: next.getStart(), text: '' }
    return { start: previous ? previous.getEnd() : node.getStart(), end: node.getEnd(), text: '' }
  })
}

/** What the same file uses of the same thing: `line.amount` for `line.price`. */
function exchangeMember(node: ts.Node, file: ts.SourceFile): Change[] {
  if (!ts.isPropertyAccessExpression(node) || isCallee(node)) return []
  const names = membersOf(file).get(node.expression.getText()) ?? []
  const other = names[(names.indexOf(node.name.text) + 1) % names.length]
  return other && other !== node.name.text ? [replace(node.name, other)] : []
}

function isCallee(node: ts.PropertyAccessExpression): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression === node
}

const known = new WeakMap<ts.SourceFile, Map<string, string[]>>()

function membersOf(file: ts.SourceFile): Map<string, string[]> {
  const found = known.get(file)
  if (found) return found
  const members = new Map<string, string[]>()
  known.set(file, members)
  const visit = (node: ts.Node) => {
    if (ts.isPropertyAccessExpression(node)) {
      const names = members.get(node.expression.getText()) ?? []
      if (!names.includes(node.name.text)) members.set(node.expression.getText(), [...names, node.name.text])
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return members
}

function isSql(node: ts.Node): node is ts.TaggedTemplateExpression {
  return ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql'
}

function faultsInSqlTemplate({ template }: ts.TaggedTemplateExpression, source: string): Fault[] {
  const parts = ts.isNoSubstitutionTemplateLiteral(template)
    ? [template]
    : [template.head, ...template.templateSpans.map(({ literal }) => literal)]
  return parts.flatMap((part) => faultsInSqlPart(source, part.getStart() + 1, part.getEnd() - 1))
}
