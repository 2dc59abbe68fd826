/** A day (YYYY-MM-DD) so many days later, or earlier. */
export function addDays(day: string, days: number): string {
  const other = new Date(`${day}T00:00:00Z`)
  other.setUTCDate(other.getUTCDate() + days)
  return other.toISOString().slice(0, 10)
}
