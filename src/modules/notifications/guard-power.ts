import { requireRecentPassword } from '../../http/access/recent-password.ts'
import type { Context } from '../../http/request/context.ts'
import type { PowerNotice } from './notices.ts'
import { tellSuperadministrators } from './queue.ts'

/**
 * What a found session must not do unnoticed: it needs a recent password, and all superadministrators are told. Call it inside the
 * transaction of the change.
 */
export function guardPower(context: Context, event: PowerNotice, detail: string): void {
  requireRecentPassword(context)
  tellSuperadministrators(context.server, event, detail, context.author)
}
