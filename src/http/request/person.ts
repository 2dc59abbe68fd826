import type { Actor } from '../../core/access.ts'
import type { Author } from '../../database/index.ts'
import type { Language } from '../../i18n/translate.ts'

export interface Person extends Actor {
  email: string
  middlename: string | null
  image: string | null
  language: Language | null
  theme: 'light' | 'dark' | null
  key_shortcuts: boolean
}

/** The one who really acts, and not the person they act as. */
export function realAuthorOf({ impersonator, ...author }: Author): Author {
  return impersonator ? { ...author, ...impersonator } : author
}
