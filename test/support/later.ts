/** Does something as if it were so many milliseconds later. */
export async function later<T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => now() + milliseconds
  try {
    return await work()
  } finally {
    Date.now = now
  }
}

/** Does something while the clock stands at this moment. */
export async function at<T>(moment: number, work: () => T | Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => moment
  try {
    return await work()
  } finally {
    Date.now = now
  }
}
