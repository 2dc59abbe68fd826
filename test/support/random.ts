export type Random = ReturnType<typeof makeRandom>

export function makeRandom(seed: number) {
  const next = mulberry32(seed)
  const integer = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(list: readonly T[]): T => list[integer(0, list.length - 1)] as T
  return {
    integer,
    pick,
    chance: (probability: number) => next() < probability,
    digits: (count: number) => Array.from({ length: count }, () => integer(0, 9)).join(''),
    some<T>(list: readonly T[], count: number): T[] {
      const chosen = new Set<T>()
      while (chosen.size < count) chosen.add(pick(list))
      return list.filter((item) => chosen.has(item))
    },
  }
}

function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
