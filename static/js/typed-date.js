const days = [
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})/,
  /^(?<day>\d{1,2})[./\s-]+(?<month>\d{1,2})[./\s-]+(?<year>\d{4}|\d\d)/,
  /^(?<day>\d\d)(?<month>\d\d)(?<year>\d{4}|\d\d)/,
]
const time = /^(?:[T,\s]+(?<hour>\d{1,2})[:.](?<minute>\d\d)(?::\d\d)?)?$/

/**
 * What somebody typed, `1.2.2026`, `01022026` or as a program writes it, as `YYYY-MM-DD`, or as `YYYY-MM-DDTHH:MM` where a time belongs to it,
 * which is midnight unless it is typed; undefined when there is no such day or time.
 */
export function readDate(text, hasTime) {
  const typed = text.trim()
  const found = days.map((pattern) => pattern.exec(typed)).find(Boolean)
  const rest = found && time.exec(typed.slice(found[0].length))
  if (!rest || (rest[0] && !hasTime)) return undefined
  const { year, month, day } = found.groups
  const { hour = '0', minute = '00' } = rest.groups
  const date = `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (!exists(date) || Number(hour) > 23 || Number(minute) > 59) return undefined
  return hasTime ? `${date}T${hour.padStart(2, '0')}:${minute}` : date
}

function exists(date) {
  const moment = new Date(`${date}T00:00Z`)
  return date >= '1000' && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(date)
}

/** As pages show it: `01.02.2026`, with the time if it has one. */
export function showDate(date) {
  const [day, hours] = date.split('T')
  return [day.split('-').reverse().join('.'), hours].filter(Boolean).join(' ')
}
