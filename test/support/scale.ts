/** `npm run torture` runs some tests of `npm test` again, with all of their cases. */
export const isFull = process.env.FULL === 'yes'

/** The first cases, so many; all of them in the long runs. */
export function firstOf<T>(count: number, cases: readonly T[]): readonly T[] {
  return isFull ? cases : cases.slice(0, count)
}

/** Every language with scripts and without, each of both among the first two. */
export const localesAndScripts = [
  ['en-GB', true],
  ['ru-RU', false],
  ['en-GB', false],
  ['ru-RU', true],
] as const
