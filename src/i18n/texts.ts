import { readdirSync, readFileSync } from 'node:fs'

export const english = readTexts('en.json')

export const russian: Record<string, string> = Object.assign({}, ...textFiles('ru').map(readTexts))

export function textFiles(folder: string): string[] {
  return readdirSync(new URL(folder, localesFolder())).map((name) => `${folder}/${name}`)
}

export function readTexts(path: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(path, localesFolder()), 'utf8'))
}

function localesFolder(): URL {
  return new URL('../../locales/', import.meta.url)
}
