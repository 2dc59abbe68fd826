const contextBefore = 40
const contextAfter = 160

export function excerptDifference(old: string, now: string): [string, string] {
  if (Math.max(old.length, now.length) <= contextBefore + contextAfter) return [old, now]
  const start = Math.max(0, firstDifference(old, now) - contextBefore)
  return [cut(old, start), cut(now, start)]
}

function firstDifference(old: string, now: string): number {
  let at = 0
  while (at < old.length && at < now.length && old[at] === now[at]) at++
  return at
}

function cut(text: string, start: number): string {
  const excerpt = text.slice(start, start + contextBefore + contextAfter)
  return (start > 0 ? '…' : '') + excerpt + (start + contextBefore + contextAfter < text.length ? '…' : '')
}
