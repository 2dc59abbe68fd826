import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { policyCatalog } from '../../src/core/policies.ts'
import { english, languages, readTexts, russian, textFiles, translator } from '../../src/i18n/translate.ts'
import { companyForm } from '../../src/modules/companies/form.ts'
import { dealerForm } from '../../src/modules/users/dealers/form.ts'
import { staffFields } from '../../src/modules/users/fields.ts'
import { type Field, rowsOf } from '../../src/records/fields/index.ts'
import { startCabinet } from '../support/cabinet.ts'

type Test = Pick<typeof t, 'same'>

const root = fileURLToPath(new URL('../../', import.meta.url))

// Extraction. In sources every string that reads like a text is one, and so is every string in a place for texts, however short.

/** What speaks to whoever runs the service, or holds both languages side by side. */
const silent = /^(config|main|first-start|core\/user-agent)\.ts$|^(commands|database)\/|^i18n\/(?!format)/

/** Properties and parameters that hold texts. */
const speaking =
  /^(label|title|hint|question|done|created|description|message|notice|none|says|searchHint|searchHintForDealers|[a-z]+(Label|Title))$/

/** Calls that take strings which nobody reads in the cabinet. */
const technical = /^(header|headers|hasHeader|pragma|info|warn|error|debug|Error|hash|resourceOf)$/

/** The name under which the change history stores what nobody did. */
const notTexts = new Set(['The cabinet'])

/** Words, not a name of the code: it begins like a sentence, or has something to fill in. */
const readsLikeText = (text: string) => (/^([A-Z][a-z]*|[A-Z]{2,})(\W|$)/.test(text) && /[a-z]/.test(text)) || /\{\w+\}/.test(text)
const isHeader = (text: string) => /^[A-Z]\w*(-[A-Z]\w*)+$/.test(text)

const parse = (code: string) => ts.createSourceFile('a.ts', code, ts.ScriptTarget.Latest, true)

/** Functions by name with the positions of their parameters that are texts, and the names of tables of texts: `t(answers[asked])`. */
interface Speakers {
  functions: Map<string, Set<number>>
  tables: Set<string>
}

function speakers(sources: ts.SourceFile[]): Speakers {
  const functions = new Map<string, Set<number>>()
  const tables = new Set<string>()
  const findFunctions = (node: ts.Node): void => {
    const name = ts.isFunctionDeclaration(node) ? node.name : ts.isArrowFunction(node) && nameOf(node.parent)
    if (name && ts.isFunctionLike(node))
      node.parameters.forEach((parameter, at) => {
        if (speaking.test(parameter.name.getText())) functions.set(name.getText(), (functions.get(name.getText()) ?? new Set()).add(at))
      })
    ts.forEachChild(node, findFunctions)
  }
  const findTables = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node) && isSpoken(node, { functions, tables })) tables.add(node.expression.getText())
    ts.forEachChild(node, findTables)
  }
  for (const find of [findFunctions, findTables]) for (const source of sources) find(source)
  return { functions, tables }
}

const nameOf = (node: ts.Node) => ts.isVariableDeclaration(node) && node.name

function textsOfSource(source: ts.SourceFile, known = speakers([source])): string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isTaggedTemplateExpression(node)) {
      const { tag, template } = node
      if (tag.getText() === 'html' && ts.isTemplateExpression(template))
        for (const { expression } of template.templateSpans) visit(expression)
      return
    }
    if (ts.isStringLiteralLike(node) && !isName(node) && !notTexts.has(node.text)) {
      const spoken = isSpoken(node, known)
      if (spoken || (readsLikeText(node.text) && !isHeader(node.text) && !isTechnical(node))) texts.push(node.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts.filter((text) => /[a-z]/i.test(text))
}

/** A string that is compared, looked up by or used as the name of a property. */
function isName({ parent }: ts.Node): boolean {
  const compared = ts.isBinaryExpression(parent) && /^[!=]==$|^in$/.test(parent.operatorToken.getText())
  return compared || ts.isElementAccessExpression(parent)
}

/** In a place for texts: `t('…')`, `label: '…'`, `text('…')`, also behind a condition, as a default or in a table. */
function isSpoken(node: ts.Node, known: Speakers): boolean {
  const { parent } = node
  if (ts.isParenthesizedExpression(parent) || (ts.isConditionalExpression(parent) && parent.condition !== node))
    return isSpoken(parent, known)
  if (ts.isBinaryExpression(parent)) return isSpoken(parent, known)
  if (ts.isArrayLiteralExpression(parent)) return isSpoken(parent, known)
  if (ts.isPropertyAssignment(parent))
    return parent.initializer === node && (speaking.test(parent.name.getText()) || isInTable(parent, known))
  if (ts.isParameter(parent) || ts.isVariableDeclaration(parent)) return speaking.test(parent.name.getText())
  if (!ts.isCallExpression(parent)) return false
  const position = parent.arguments.indexOf(node as ts.Expression)
  const name = calleeOf(parent)
  if (name === 't' || name === 'flash') return position === (name === 't' ? 0 : 1)
  return Boolean(known.functions.get(name)?.has(position))
}

function isInTable({ parent }: ts.Node, { tables }: Speakers): boolean {
  const table = nameOf(parent.parent)
  return Boolean(table && tables.has(table.getText()))
}

function isTechnical(node: ts.Node): boolean {
  const { parent } = node
  if (!parent || ts.isFunctionLike(parent)) return false
  if (ts.isPropertyAssignment(parent) && (parent.name === node || /^(format|en|ru|synonyms)$/.test(parent.name.getText()))) return true
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    if (parent.expression === node) return false
    if (technical.test(calleeOf(parent)) || isPlainError(parent)) return true
  }
  return isTechnical(parent)
}

function calleeOf({ expression }: ts.CallExpression | ts.NewExpression): string {
  return (ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText()
}

/** `super('…')` of an error that is not answered with its message. */
function isPlainError(call: ts.Node): boolean {
  if (!ts.isCallExpression(call) || call.expression.kind !== ts.SyntaxKind.SuperKeyword) return false
  const parent = ts.findAncestor(call, ts.isClassDeclaration)
  return parent?.heritageClauses?.[0]?.types[0]?.getText() === 'Error'
}

const tags = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\[%[^\]]*?%\]|\[\[[^\]]*\]\]/g
const comments = /\{#[\s\S]*?#\}/g
const strings = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g
/** The first argument of `t`: up to a comma or the closing bracket, over strings and one level of brackets. */
const asked = /\bt\(((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\([^()]*\)|[^,()'"])*)/g

function stringsIn(code: string): string[] {
  return [...code.matchAll(strings)].map(([, single, double]) => (single ?? double ?? '').replace(/\\(.)/g, '$1'))
}

function textsOfTemplate(template: string): string[] {
  const code = template.replace(comments, '').match(tags) ?? []
  const translated = code.flatMap((tag) => [...tag.matchAll(asked)].flatMap(([, argument]) => stringsIn(argument ?? '')))
  return [...translated, ...code.flatMap(stringsIn).filter(readsLikeText)]
}

/** What a template says without asking for a translation. */
function bareTextsOf(template: string): string[] {
  const html = template.replace(comments, '').replace(tags, '')
  const attributes = [...html.matchAll(/\s(?:title|alt|placeholder|aria-label)="([^"]*)"/g)].map((match) => match[1] as string)
  const words = html.replace(/[\w:-]+="[^"]*"/g, '').split(/<[^>]*>/)
  return [...attributes, ...words].map((text) => text.trim()).filter((text) => /[A-Z][a-z]|[a-z] [a-z]+[ .]/.test(text))
}

function filesIn(folder: string, extension: string) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(extension))
  return names.map((name) => ({ name, content: readFileSync(join(root, folder, name), 'utf8') }))
}

const labelsIn = (labels: object): string[] =>
  Object.values(labels).flatMap((label) => (typeof label === 'string' ? [label] : labelsIn(label)))

const templates = filesIn('templates', '.njk')
const sources = filesIn('src', '.ts').filter(({ name }) => !silent.test(name))
const parsed = sources.map(({ content }) => parse(content))
const known = speakers(parsed)
const texts = new Set([
  ...filesIn('src', 'labels.json').flatMap(({ content }) => labelsIn(JSON.parse(content))),
  ...Object.values(policyCatalog).flatMap(({ category, name, description }) => [category, name, description]),
  ...templates.flatMap(({ content }) => textsOfTemplate(content)),
  ...parsed.flatMap((source) => textsOfSource(source, known)),
  ...Object.values(languages),
])
const plural = [...texts].filter((text) => text.includes('{count}'))

const forms = { english: ['one', 'other'], russian: ['one', 'few', 'many', 'other'] }
const formsOf = (text: string, language: keyof typeof forms) =>
  text.includes('{count}') ? forms[language].map((form) => `${text}_${form}`) : [text]
const placeholders = (text: string) => [...new Set(text.match(/\{\w+\}/g))]

t.test('texts are found in every kind of place where they occur', async (t) => {
  const places: [place: string, code: string, texts: string[]][] = [
    ['a call', "request.t(good ? 'yes' : (bad ?? 'no'), { a: 'b' })", ['yes', 'no']],
    ['a declaration', "({ label: 'INN', name: 'dealers', newTitle: 'x', description: fine ? 'y' : 'z' })", ['INN', 'x', 'y', 'z']],
    ['a field', "function text(label: string) {} text('INN', { autocomplete: 'name' })", ['INN']],
    ['a helper', "const of = (description: string) => 1; has('key', of('dealers'))", ['dealers']],
    ['an error', "throw new HttpError(422, 'Nothing here.')", ['Nothing here.']],
    ['an error of a kind', "class A extends HttpError { constructor() { super(403, 'Not you.') } }", ['Not you.']],
    ['a default', "function f(message = 'no') {}", ['no']],
    ['a flash', "flash(request, 'Saved.')", ['Saved.']],
    ['a constant', "const texts = { 413: 'Too large.', asked: '{name} asks.' }", ['Too large.', '{name} asks.']],
    ['a table', "const whose = { a: 'of dealers' }; has({ description: whose[kind.name] })", ['of dealers']],
    ['a list of words', "({ says: ['money, bank'], path: ['home'] })", ['money, bank']],
    ['a consequence', "[['{count} orders will stay.', 3]]", ['{count} orders will stay.']],
    ['HTML', `html\`<b class='Some key'>\${t('fine')}</b>\``, ['fine']],
    ['an apostrophe', `({ description: "other people's rights" })`, ["other people's rights"]],
    ['no text', "import a from 'A b'; type A = 'A b'; log.error('it failed'); reply.header('Vary', 'HX-A'); throw new Error('A b')", []],
    ['a list of names', "const tags = 'b br code'.split(' '); const rel = { a: 'noopener nofollow' }", []],
    ['no text either', "if (x === 'Enter') a['Some key'] = sql`a b`; class B extends Error { constructor() { super('a b') } }", []],
  ]
  for (const [place, code, texts] of places) t.same(textsOfSource(parse(code)), texts, place)
  t.same(textsOfTemplate(`{{ t('all') if a == 'no' else t("it's", { b: 'c' }) }}{# t('x') #} t('y')`), ['all', "it's"])
  t.same(textsOfTemplate("{% set tools = [['ArrowUp', 'up', 'Move up']] %}{{ t(tools[0][2]) }}"), ['Move up'])
  t.same(bareTextsOf(`<p title="Alas">{{ t('fine') }} – <b>Oh no</b> {# no #}</p>`), ['Alas', 'Oh no'])
})

t.test('every text declared in the code is among those found', async (t) => {
  const labels = (fields: Record<string, Field>): string[] =>
    Object.values(fields).flatMap((field) => [field.label, ...(field.hint ? [field.hint] : []), ...labels(rowsOf(field))])
  const { app } = await startCabinet(t)
  const declared = [
    ...[...companyForm.sections, ...dealerForm.sections].flatMap(({ title, fields }) => [title, ...labels(fields)]),
    ...labels(staffFields),
    ...app.registry.menu.map(({ label }) => label),
  ]
  t.ok(declared.length > 80, `${declared.length} declared`)
  unseen(t, declared)
  unseen(t, [
    'Sign in', // a template
    'Move up',
    'Zoom out', // a list inside a template
    'or', // t('…')
    'Yes', // behind a condition
    "You don't have access.", // a default
    'Enter a valid email address.', // FieldError
    'This email is already in use.', // Invalid
    'This permission does not exist.', // HttpError
    'Images are limited to {max} MB.', // an error of its own kind
    '{name} saved', // flash
    'dealers whose manager you are', // an ownership
    'managers and production users', // an ownership made by a function
    'requests of dealers', // an ownership from a table
    'Delete {count} warehouses?',
    '{count} companies will have no warehouse.',
    'New company',
    'Not saved. Please check:',
  ])
})

function unseen(t: Test, expected: string[]): void {
  const missed = expected.filter((text) => !texts.has(text))
  t.same(missed, [], 'none was overlooked')
}

t.test('every text has a Russian translation, and every translation is used', async (t) => {
  const needed = [...texts].flatMap((text) => formsOf(text, 'russian'))
  const missing = needed.filter((key) => !russian[key]?.trim())
  const unused = Object.keys(russian).filter((key) => !needed.includes(key))
  t.same(missing, [], 'texts without a Russian one')
  t.same(unused, [], 'Russian texts that nothing asks for')
})

t.test('no text is translated twice', async (t) => {
  const files = textFiles('ru')
  const given = files.flatMap((path) => Object.keys(readTexts(path)))
  t.ok(files.length > 1, 'the files were found')
  t.equal(given.length, Object.keys(russian).length, 'every file is merged')
  const twice = given.filter((key, at) => given.indexOf(key) !== at)
  t.same(twice, [])
})

t.test('texts with a count have their English plural forms, and only these', async (t) => {
  const needed = plural.flatMap((text) => formsOf(text, 'english'))
  const missing = needed.filter((key) => !english[key])
  const unused = Object.keys(english).filter((key) => !needed.includes(key) && !texts.has(key))
  t.ok(plural.length > 10, `${plural.length} texts`)
  t.same(missing, [], 'forms that are missing')
  t.same(unused, [], 'forms that nothing asks for')
  const alike = Object.keys(english).filter((key) => english[key] === english[key.replace(/_one$/, '_other')] && key.endsWith('_one'))
  t.same(alike.sort(), ['Select all {count}_one', 'and {count} more_one'])
})

/** Texts of which a translation has its placeholders in another order on purpose. */
const reordered = new Set(['{name} moved this order to "{status}" on {date}. Your change was not applied.'])

t.test('placeholders are the same, and in the same order, in every language and form', async (t) => {
  const placed = (text: string, key: string) => (reordered.has(key) ? placeholders(text).sort() : placeholders(text))
  for (const text of texts) {
    const translations = { ...pick(english, formsOf(text, 'english')), ...pick(russian, formsOf(text, 'russian')) }
    for (const [key, translation] of Object.entries(translations))
      if (`${placed(translation, text)}` !== `${placed(text, text)}`) t.fail(`${key}: ${translation}`)
  }
  t.ok([...texts].some((text) => placeholders(text).length === 2))
})

function pick(from: Record<string, string>, keys: string[]): Record<string, string> {
  return Object.fromEntries(keys.flatMap((key) => (from[key] ? [[key, from[key]]] : [])))
}

t.test('Russian translations are in Russian', async (t) => {
  const allowed = new Set([
    'Telegram',
    'Email',
    'email',
    'ID',
    ...Object.values(languages),
    'IP',
    'QR',
    'API',
    'JSON',
    'ISO',
    'Authorization',
    'Bearer',
    'JPEG',
    'PNG',
    'WebP',
    'GIF',
    'AVIF',
    'PDF',
    'xlsx',
    'csv',
    'CSV',
    'Excel',
    'CClientBankExchange',
    'Windows',
    'Ctrl',
    'Enter',
    'Esc',
    'Shift',
  ])
  const latin = (text: string) => text.replace(/\{\w+\}/g, '').match(/[a-z]+/gi) ?? []
  const foreign = Object.entries(russian).filter(([, text]) => latin(text).some((word) => !allowed.has(word)))
  t.same(Object.fromEntries(foreign), {}, 'no Latin letters but in names')
  const untidy = Object.entries(russian).filter(([, text]) => text !== text.trim() || / {2}|"|'| - /.test(text))
  t.same(Object.fromEntries(untidy), {}, 'no stray spaces, straight quotes or hyphens for dashes')
})

t.test('plural forms follow the count', async (t) => {
  const [en, ru] = [translator('en'), translator('ru')]
  const question = 'Delete {count} dealers?'
  const spoken = [1, 2, 5, 11, 21].map((count) => [en(question, { count }), ru(question, { count })])
  t.same(spoken, [
    ['Delete 1 dealer?', 'Удалить 1 дилера?'],
    ['Delete 2 dealers?', 'Удалить 2 дилеров?'],
    ['Delete 5 dealers?', 'Удалить 5 дилеров?'],
    ['Delete 11 dealers?', 'Удалить 11 дилеров?'],
    ['Delete 21 dealers?', 'Удалить 21 дилера?'],
  ])
  const stocks = [1, 3, 12].map((count) => ru('{count} warehouses deleted', { count }))
  t.same(stocks, ['Удалён 1 склад', 'Удалено 3 склада', 'Удалено 12 складов'])
})

t.test('no template contains a text without asking for its translation', async (t) => {
  t.ok(templates.length > 20, 'the templates were found')
  for (const { name, content } of templates) {
    const bare = bareTextsOf(content)
    if (bare.length > 0) t.same(bare, [], name)
  }
})

t.test('a count that is not a number has a plural form too', async (t) => {
  t.equal(translator('ru')('Select all {count}', { count: '10 000+' }), 'Выбрать все: 10 000+')
  t.equal(translator('en')('Select all {count}', { count: '10 000+' }), 'Select all 10 000+')
  t.equal(translator('ru')('Select all {count}', { count: 2 }), 'Выбрать все: 2')
})
