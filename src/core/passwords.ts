import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

let common: ReadonlySet<string> | undefined

export function isCommonPassword(password: string): boolean {
  common ??= readCommonPasswords()
  return common.has(password.toLowerCase())
}

/** When the first password is chosen: to unpack them would take a part of every start. */
function readCommonPasswords(): ReadonlySet<string> {
  const { dictionary } = require('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].slice(0, 10_000))
}

const minOtherLetters = 4

export function isPersonalPassword(password: string, known: readonly string[]): boolean {
  const folded = password.toLowerCase()
  const parts = known.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((part) => part.length > 2)
  const rest = parts.sort((a, b) => b.length - a.length).reduce((text, part) => text.replaceAll(part, ''), folded)
  return rest !== folded && rest.replace(/[^\p{L}]/gu, '').length < minOtherLetters
}
