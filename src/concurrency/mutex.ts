export function mutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

/** A mutex for each key. */
export function mutexes<Key>(): (key: Key) => ReturnType<typeof mutex> {
  const known = new Map<Key, ReturnType<typeof mutex>>()
  return (key) => {
    const one = known.get(key) ?? mutex()
    known.set(key, one)
    return one
  }
}
