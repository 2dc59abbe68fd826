import { anyOf, superadministrator } from '../../core/access.ts'

export const mayChangeSettings = anyOf(superadministrator)
