interface Publication {
  published: boolean
  publishedon: number | null
}

export const unpublished: Publication = { published: false, publishedon: null }

export function stateOf({ published, publishedon }: Publication, now: number): 'draft' | 'planned' | 'published' {
  if (published) return 'published'
  return publishedon !== null && publishedon >= now ? 'planned' : 'draft'
}

export function publish(now: number): Publication {
  return { published: true, publishedon: now }
}

/** Unpublishing clears the time (publication rule 2), otherwise the next reader would publish the article again. */
export function publicationAfter(before: Publication, wanted: Partial<Publication>, now: number): Publication {
  const { published, publishedon }: Publication = { ...before, ...wanted }
  const after = { published, publishedon }
  if (after.published && !before.published) return publish(now)
  if (before.published && !after.published) return { published: false, publishedon: (wanted.publishedon ?? 0) > now ? publishedon : null }
  return after
}
