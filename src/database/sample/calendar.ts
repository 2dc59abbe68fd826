export const minute = 60_000
export const day = 24 * 60 * minute

export const now = Date.now()
export const today = now - (now % day)

export function daysAgo(days: number): number {
  return Math.round(today - days * day)
}

export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

export function timestamps(at: number): { created_at: number; updated_at: number } {
  return { created_at: at, updated_at: at }
}
