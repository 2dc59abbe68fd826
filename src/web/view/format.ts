const pad = (value: number) => String(value).padStart(2, '0')

/** A moment in milliseconds as `DD.MM.YYYY`, in the zone of the service. */
export function showDate(moment: number | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  return `${pad(date.getDate())}.${pad(date.getMonth() + 1)}.${date.getFullYear()}`
}

/** A moment in milliseconds as `DD.MM.YYYY HH:MM`, in the zone of the service. */
export function showMoment(moment: number | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  return `${showDate(moment)} ${pad(date.getHours())}:${pad(date.getMinutes())}`
}

/** A calendar date, stored as `YYYY-MM-DD`, as `DD.MM.YYYY`. */
export function showDay(day: string | null): string {
  return day ? day.split('-').reverse().join('.') : ''
}
