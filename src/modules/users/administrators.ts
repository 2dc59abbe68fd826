import { group } from '../../core/access.ts'
import { requireRecentPassword } from '../../http/access/policy-hook.ts'
import type { Context } from '../../http/request/context.ts'
import type { PowerNotice } from '../notifications/notices.ts'
import { tellSuperadministrators } from '../notifications/queue.ts'
import { type User, userLabel } from './user.ts'

/**
 * What a found session must not do unnoticed: it needs a recent password, and all superadministrators are told. Call it inside the
 * transaction of the change.
 */
export function guardPower(context: Context, event: PowerNotice, detail: string): void {
  requireRecentPassword(context)
  tellSuperadministrators(context.server, event, detail, context.author)
}

/** Whether somebody becomes an administrator, added, restored or activated, or gets other permissions as one. */
export function guardAdministrator(context: Context, user: User, event: PowerNotice): void {
  if (user.group_id === group.administrator) guardPower(context, event, userLabel(user))
}
