import { dictionary } from '@zxcvbn-ts/language-common'

const common = new Set((dictionary['passwords-common'] as string[]).slice(0, 10_000))

export function isCommonPassword(password: string): boolean {
  return common.has(password.toLowerCase())
}

const minOtherLetters = 4

export function isPersonalPassword(password: string, known: readonly string[]): boolean {
  const folded = password.toLowerCase()
  const parts = known.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)).filter((part) => part.length > 2)
  const rest = parts.sort((a, b) => b.length - a.length).reduce((text, part) => text.replaceAll(part, ''), folded)
  return rest !== folded && rest.replace(/[^\p{L}]/gu, '').length < minOtherLetters
}
