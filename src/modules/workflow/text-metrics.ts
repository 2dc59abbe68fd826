export const boxHeight = 40
export const wordHeight = 16

/** Room for letters at the beginning of an arrow. */
export const letterSpace = 30

const maxLineLength = 18

/** How wide words on an arrow may become: there is no font to measure, so rather too wide. */
export function textWidth(text: string, letter = 6.3): number {
  const others = text.match(/[^\0-\x7f]/g)?.length ?? 0
  return (text.length + others / 8) * letter
}

/** How wide a box with these lines has to be. */
export function boxWidth(lines: readonly string[]): number {
  return Math.max(72, ...lines.map((line) => textWidth(line, 7.6) + 24))
}

/** A name in two lines at most, each short enough for a box. */
export function wrapName(name: string, maxLength = maxLineLength): string[] {
  const [first = '', ...rest] = name.trim().split(/\s+/)
  let line = first
  while (rest[0] && `${line} ${rest[0]}`.length <= maxLength) line += ` ${rest.shift()}`
  return [line, rest.join(' ')].filter(Boolean).map((part) => (part.length > maxLength ? `${part.slice(0, maxLength - 1)}…` : part))
}
