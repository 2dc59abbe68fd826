/** How often somebody wants mail about what is not urgent. */
export const mailPaces = { 'at-once': 'One by one, at once', hourly: 'Hourly digest', daily: 'Daily digest' }

export const hoursOfDay = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`)

const hour = 3600_000

/** The next time that mail gathered every hour is sent. */
export function nextHourly(after: number): number {
  return (Math.floor(after / hour) + 1) * hour
}

/**
 * The next time that mail gathered for this hour of the day is sent: once on every day. An hour that the clocks skip is
 * over at the first moment after it, one that they repeat comes the first time.
 */
export function nextDaily(after: number, hourOfDay: number): number {
  const date = new Date(after)
  const onDay = (day: number) => new Date(date.getFullYear(), date.getMonth(), day, hourOfDay).getTime()
  const today = onDay(date.getDate())
  return today > after ? today : onDay(date.getDate() + 1)
}
