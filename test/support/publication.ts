import type { unpublished } from '../../src/core/publication.ts'

/** What the service's query for due articles looks for, written separately. */
export function isDue({ published, publishedon }: typeof unpublished, now: number): boolean {
  return !published && publishedon !== null && publishedon < now
}
