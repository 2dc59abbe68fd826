import type { SchemaObject } from './kept/statement.ts'

const letters = [...'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ'].map((letter) => [letter, letter.toLowerCase()] as const)

const replacements = [...letters, ['Ё', 'е'], ['ё', 'е']] as const

/** SQLite before 3.46 parses no more than some thirty calls within each other. */
const callsInOneStep = 9

/** A view of texts in lower case and with ё as е, of a query for `id, text`. SQLite's own lower() knows Latin letters only. */
export function foldedView(name: string, query: string): SchemaObject {
  const steps = Array.from({ length: Math.ceil(replacements.length / callsInOneStep) }, (_, index) =>
    replacements.slice(index * callsInOneStep, (index + 1) * callsInOneStep),
  )
  const folding = steps.map((step, index) => {
    const text = step.reduce((inner, [from, to]) => `replace(${inner}, '${from}', '${to}')`, 'text')
    return `  folded_${index + 1} AS (SELECT id, ${text} AS text FROM folded_${index})`
  })
  const sql = `CREATE VIEW ${name} AS
  WITH written AS (${query}),
  folded_0 AS (SELECT id, lower(text) AS text FROM written),
${folding.join(',\n')}
  SELECT id, text FROM folded_${steps.length}`
  return { name, sql }
}

/** Texts one below another, without those that are null. */
export function joinTexts(texts: string[], separator = 'char(10)'): string {
  return texts.map((text) => `ifnull(${text} || ${separator}, '')`).join(' || ')
}
