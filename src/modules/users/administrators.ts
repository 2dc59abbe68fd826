import { group } from '../../core/access.ts'
import { requireRecentPassword } from '../../web/access/policy-hook.ts'
import type { Acting } from '../../web/acting.ts'
import type { PowerNotice } from '../notifications/notices.ts'
import { tellSuperadministrators } from '../notifications/queue.ts'
import { type User, userLabel } from './user.ts'

/**
 * What a found session must not do unnoticed: it needs a recent password, and all superadministrators are told. Call it inside the
 * transaction of the change.
 */
export function guardPower(acting: Acting, event: PowerNotice, detail: string): void {
  requireRecentPassword(acting)
  tellSuperadministrators(acting.server, event, detail, acting.author)
}

/** Whether somebody becomes an administrator, added, restored or activated, or gets other permissions as one. */
export function guardAdministrator(acting: Acting, user: User, event: PowerNotice): void {
  if (user.group_id === group.administrator) guardPower(acting, event, userLabel(user))
}
