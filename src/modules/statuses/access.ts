import { anyOf, has, type Rule } from '../../core/access.ts'
import type { Status } from './status.ts'

/** One policy governs everything about statuses (specification, Authentication, point 3). */
const manage = anyOf<Status>(has('status_can_view'))

export const may = { list: manage, view: manage, add: manage, edit: manage, delete: manage } satisfies Record<string, Rule<Status>>
