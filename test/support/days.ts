/** The midnight with which the day so many days ago began. */
export function daysAgo(days: number): number {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime()
}
