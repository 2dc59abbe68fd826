// Compares what templates use with what the sources declare to pass them, without running either.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import nunjucks from 'nunjucks'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'templates')

export const templateNames = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.njk'))

export interface Needs {
  variables: Set<string>
  /** Used by its macros, which see only parameters and globals. */
  macroVariables: Set<string>
  /** The template and those it renders, imports or extends, unless a variable names them. */
  templates: Set<string>
  /** What templates that it renders use and do not get, such as `flash.njk: undo`. */
  notPassed: Set<string>
}

interface Node {
  typename: string
  [part: string]: unknown
}

const { parser } = nunjucks as unknown as { parser: { parse(source: string): Node } }
const known = new Map<string, Needs>()

export function needsOf(template: string): Needs {
  const needs = known.get(template) ?? {
    variables: new Set(),
    macroVariables: new Set(),
    templates: new Set([template]),
    notPassed: new Set<string>(),
  }
  if (!known.has(template)) {
    known.set(template, needs)
    visit(parser.parse(readFileSync(join(folder, template), 'utf8')), new Set(), needs)
  }
  return needs
}

function visit(node: Node, own: Set<string>, needs: Needs): void {
  const visitor = visitors[node.typename]
  if (visitor) visitor(node, own, needs)
  else for (const child of childrenOf(node)) visit(child, own, needs)
}

const visitors: Record<string, (node: Node, own: Set<string>, needs: Needs) => void> = {
  Symbol: ({ value }, own, needs) => void (own.has(value as string) || needs.variables.add(value as string)),
  For: (node, own, needs) => {
    visit(node.arr as Node, own, needs)
    const inside = new Set([...own, 'loop', ...namesIn(node.name)])
    visit(node.body as Node, inside, needs)
    if (node.else_) visit(node.else_ as Node, own, needs)
  },
  Set: (node, own, needs) => {
    for (const part of [node.value, node.body]) if (part) visit(part as Node, own, needs)
    for (const name of namesIn(node.targets)) own.add(name)
  },
  Macro: (node, own, needs) => {
    for (const name of namesIn(node.name)) own.add(name)
    const inside: Needs = {
      variables: new Set(),
      macroVariables: needs.macroVariables,
      templates: needs.templates,
      notPassed: needs.notPassed,
    }
    visit(node.body as Node, new Set([...own, ...namesIn(node.args), 'caller']), inside)
    for (const name of inside.variables) needs.macroVariables.add(name)
  },
  Caller: (node, own, needs) => visit(node.body as Node, own, needs),
  Root: (node, own, needs) => {
    for (const child of childrenOf(node)) if (child.typename === 'Macro') for (const name of namesIn(child.name)) own.add(name)
    for (const child of childrenOf(node)) visit(child, own, needs)
  },
  Block: (node, own, needs) => visit(node.body as Node, new Set([...own, 'super']), needs),
  Extends: (node, own, needs) => visitOther(node.template as Node, own, needs),
  Import: (node, own, needs) => visitImport(node, node.target, own, needs),
  FromImport: (node, own, needs) => visitImport(node, node.names, own, needs),
  FunCall: (node, own, needs) => {
    for (const child of childrenOf(node)) visit(child, own, needs)
    const [template, data] = (node.args as { children: Node[] }).children
    if ((node.name as Node).value === 'render' && template?.typename === 'Literal') visitRendered(template.value as string, data, needs)
  },
  Filter: (node, own, needs) => visit(node.args as Node, own, needs),
  Is: (node, own, needs) => visit(node.left as Node, own, needs),
  Pair: (node, own, needs) => visit(node.value as Node, own, needs),
}

/** `{% extends layout %}` means one of three layouts; other templates named by a variable are declared themselves. */
function visitOther(name: Node, own: Set<string>, needs: Needs): void {
  visit(name, own, needs)
  const others =
    name.value === 'layout'
      ? ['layouts/page.njk', 'layouts/signed-out.njk', 'layouts/fragment.njk']
      : name.typename === 'Literal'
        ? [name.value]
        : []
  for (const { variables, templates } of others.map((other) => needsOf(other as string))) {
    for (const variable of variables) if (!own.has(variable)) needs.variables.add(variable)
    for (const template of templates) needs.templates.add(template)
  }
}

function visitRendered(template: string, data: Node | undefined, needs: Needs): void {
  const passed = new Set((data ? childrenOf(data) : []).map(({ key }) => (key as Node).value))
  const { variables, templates } = needsOf(template)
  for (const name of templates) needs.templates.add(name)
  for (const name of variables) if (!passed.has(name)) needs.notPassed.add(`${template}: ${name}`)
}

function visitImport(node: Node, names: unknown, own: Set<string>, needs: Needs): void {
  for (const name of namesIn(names)) own.add(name)
  for (const template of needsOf((node.template as Node).value as string).templates) needs.templates.add(template)
}

function namesIn(part: unknown): string[] {
  if (typeof part === 'string') return [part]
  if (Array.isArray(part)) return part.flatMap(namesIn)
  const node = part as Node
  if (node.typename === 'Symbol') return [node.value as string]
  return childrenOf(node).flatMap(namesIn)
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((child): child is Node => typeof (child as Node | null)?.typename === 'string')
}

/** Templates declared with `template<Data>('…')`, with the names in their data and the names available to all. */
export function declaredNames() {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  )
  const isOurs = (file: string) => file.startsWith(join(root, 'src'))
  const program = ts.createProgram(
    (config?.fileNames ?? []).filter(isOurs),
    { ...config?.options, types: [] },
    hostOfOurs(config?.options ?? {}),
  )
  const checker = program.getTypeChecker()
  const pages = new Map<string, Set<string>>()
  const returned = new Map<string, Set<string>>()
  const namesOf = (type?: ts.Type) => new Set((type?.getProperties() ?? []).map(({ name }) => name))
  const find = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'template' && node.arguments[0] && ts.isStringLiteral(node.arguments[0]))
      pages.set(node.arguments[0].text, namesOf(dataOf(checker, node)))
    // The template of the rows of a list, which is given the list.
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'template' && ts.isStringLiteral(node.initializer))
      pages.set(node.initializer.text, new Set(['list']))
    if (ts.isFunctionDeclaration(node) && /^(pageContext|globals)$/.test(node.name?.text ?? ''))
      returned.set(node.name?.text ?? '', namesOf(checker.getSignatureFromDeclaration(node)?.getReturnType()))
    ts.forEachChild(node, find)
  }
  for (const source of program.getSourceFiles()) if (isOurs(source.fileName)) find(source)
  return { pages, context: returned.get('pageContext') ?? new Set(), globals: new Set(['range', ...(returned.get('globals') ?? [])]) }
}

/** The types of packages, which take most of the time, are not needed for the names of ours. */
function hostOfOurs(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (literals, file) =>
    literals.map(({ text }) => (text.startsWith('.') ? ts.resolveModuleName(text, file, options, host) : { resolvedModule: undefined }))
  return host
}

function dataOf(checker: ts.TypeChecker, call: ts.CallExpression): ts.Type | undefined {
  const takes = checker.getTypeAtLocation(call).getProperty('takes')
  const signature = takes && checker.getNonNullableType(checker.getTypeOfSymbol(takes)).getCallSignatures()[0]
  return signature?.parameters[0] && checker.getTypeOfSymbol(signature.parameters[0])
}
