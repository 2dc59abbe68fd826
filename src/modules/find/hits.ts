import { tellingWords } from '../../core/says-all.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { HitStatus } from '../../records/list/search-source.ts'

export function pageHit(context: Context, { path, label }: { path: string; label: string }, query: string) {
  return hitOf(context, `page-${path}`, path, context.t(label), tellingWords(query))
}

export function hitOf({ server }: Context, hook: string, path: string, name: string, words: string[]) {
  return {
    hook,
    href: url(server, path),
    name,
    words,
    details: [] as string[],
    status: undefined,
    to: undefined as HitStatus | undefined,
    asks: false,
  }
}

export const inBothLanguages = (texts: readonly string[], t: Translate) => texts.flatMap((text) => [text, t(text)])
