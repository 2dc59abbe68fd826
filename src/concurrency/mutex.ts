export function mutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }
}

/** A mutex for each key, kept as long as something waits for it. */
export function mutexes<Key>(): <T>(key: Key, work: () => Promise<T>) => Promise<T> {
  const known = new Map<Key, { run: ReturnType<typeof mutex>; waiting: number }>()
  return (key, work) => {
    const one = known.get(key) ?? { run: mutex(), waiting: 0 }
    known.set(key, one)
    one.waiting += 1
    return one.run(work).finally(() => {
      one.waiting -= 1
      if (one.waiting === 0) known.delete(key)
    })
  }
}
