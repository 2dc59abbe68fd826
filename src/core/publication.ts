/** What decides whether readers see a message. Moments are in milliseconds. */
export interface Publication {
  published: boolean
  publishedon: number | null
}

/** A message that nobody has saved yet. */
export const unpublished: Publication = { published: false, publishedon: null }

/** The state of a message in the words of its author. */
export type PublicationState = 'draft' | 'planned' | 'published'

export function stateOf({ published, publishedon }: Publication, now: number): PublicationState {
  if (published) return 'published'
  return publishedon !== null && publishedon >= now ? 'planned' : 'draft'
}

/** Rule 1: a draft whose time has come is published by whoever reads it. */
export function isDue({ published, publishedon }: Publication, now: number): boolean {
  return !published && publishedon !== null && publishedon < now
}

/** What a due draft becomes: published by the same rule as one that is switched on, so its time is that of the reading. */
export function publish(now: number): Publication {
  return { published: true, publishedon: now }
}

/**
 * What is stored when an author saves. Rule 2: switching on stamps the moment. Switching off clears it, unless the same save
 * plans a later one: otherwise the next reading would publish the message again.
 * @param wanted what the author says; what is left out stays as it is
 */
export function publicationAfter(before: Publication, wanted: Partial<Publication>, now: number): Publication {
  const { published, publishedon }: Publication = { ...before, ...wanted }
  const after = { published, publishedon }
  if (after.published && !before.published) return publish(now)
  if (before.published && !after.published) return { published: false, publishedon: future(wanted.publishedon, now) }
  return after
}

function future(moment: number | null | undefined, now: number): number | null {
  return moment != null && moment > now ? moment : null
}
