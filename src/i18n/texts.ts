import { readdirSync, readFileSync } from 'node:fs'

/** The plural forms of English texts; everything else is its own key. */
export const english = readTexts('en.json')

/** The Russian texts by their English ones; a text with `{count}` has its four forms as `_one`, `_few`, `_many` and `_other`. */
export const russian: Record<string, string> = Object.assign({}, ...textFiles('ru').map(readTexts))

/** Paths of a language's files below `locales`. */
export function textFiles(folder: string): string[] {
  return readdirSync(new URL(folder, localesFolder())).map((name) => `${folder}/${name}`)
}

export function readTexts(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(path, localesFolder()), 'utf8'))
}

function localesFolder(): URL {
  return new URL('../../locales/', import.meta.url)
}
