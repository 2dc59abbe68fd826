import type { Performer } from '../../src/core/access.ts'

/** Somebody who is nobody's deputy. */
export const performer = <P extends { id: number; group_id: number }>(person: P): P & Performer => ({
  ...person,
  managers: [person.id],
  reading: [],
})
