import { extname } from 'node:path'

const here = import.meta.url

/** The folder of the project, above `src` and `dist`. */
export const root = new URL('..', here)

/**
 * A module that threads and processes load by themselves, so that the build keeps it as a file of its own.
 * @param path from `src` or `dist`, without its extension
 */
export function moduleAt(path: string): URL {
  return new URL(path + extname(here), here)
}
