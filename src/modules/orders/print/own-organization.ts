import type { Party } from './party.ts'

/** Our own side. The installation holds no legal details of its own, so papers leave room to fill them in. */
export function ownOrganization(): Party {
  return { details: [] }
}
