import { allows } from '../core/access.ts'
import type { Context } from '../http/request/context.ts'
import type { MenuItem } from './shell.ts'

type Reader = Pick<Context, 'server' | 'actor'>

/** What of the menu somebody may open. */
export function openItems({ server, actor }: Reader): MenuItem[] {
  return server.registry.menu.filter(({ rule }) => allows(rule ?? [], actor))
}

/** What waits for somebody in the sections that they may open. */
export function tasksOf(reader: Reader) {
  return openItems(reader).flatMap(({ label, icon, path, waiting }) => {
    const count = waiting?.count(reader.actor) ?? 0
    return waiting && count > 0 ? [{ label, icon, section: path, path: waiting.path, waiting: count }] : []
  })
}
