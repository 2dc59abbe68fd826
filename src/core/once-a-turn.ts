/** A page is answered in one turn, in which nothing else happens: what all its parts ask is read once. */
export function onceATurn<T>(read: () => T): () => T {
  let known: { value: T } | undefined
  return () => {
    if (!known)
      queueMicrotask(() => {
        known = undefined
      })
    known ??= { value: read() }
    return known.value
  }
}
