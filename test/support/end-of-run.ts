import t from 'tap'

type End = () => unknown

/** Closes what all files of a process share, such as the browser. */
export function atEndOfRun(end: End): void {
  const ends = (globalThis as { [key: symbol]: unknown })[Symbol.for('endOfRun')] as End[] | undefined
  if (ends) ends.push(end)
  else t.teardown(end)
}
