export const boxHeight = 40

const maxLineLength = 18

/** An upper estimate, since there is no font to measure on the server. */
export function textWidth(text: string, letter = 6.3): number {
  const others = text.match(/[^\0-\x7f]/g)?.length ?? 0
  return (text.length + others / 8) * letter
}

export function boxWidth(lines: readonly string[]): number {
  return Math.max(72, ...lines.map((line) => textWidth(line, 7.6) + 24))
}

export function wrapName(name: string, maxLength = maxLineLength): string[] {
  const [first = '', ...rest] = name.trim().split(/\s+/)
  let line = first
  while (rest[0] && `${line} ${rest[0]}`.length <= maxLength) line += ` ${rest.shift()}`
  return [line, rest.join(' ')].filter(Boolean).map((part) => (part.length > maxLength ? `${part.slice(0, maxLength - 1)}…` : part))
}
