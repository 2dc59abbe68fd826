import { group } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { guardPower } from '../notifications/guard-power.ts'
import type { PowerNotice } from '../notifications/notices.ts'
import { type User, userLabel } from './user.ts'

/** Whether somebody becomes an administrator, added, restored or activated, or gets other permissions as one. */
export function guardAdministrator(context: Context, user: User, event: PowerNotice): void {
  if (user.group_id === group.administrator) guardPower(context, event, userLabel(user))
}
