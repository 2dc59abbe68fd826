type Part = { text: string } | { digit: '0' | '#' } | { point: true }

/**
 * What a spreadsheet program shows of a number in a format such as `00000`, `0.00` or `"No. "000`. Undefined for formats that group digits,
 * choose by condition or make fractions; the function returns undefined where rounding would lose something.
 */
export function numberFormatter(format: string): ((value: number) => string | undefined) | undefined {
  const parts = partsOf(format)
  if (!parts) return undefined
  const point = parts.findIndex((part) => 'point' in part)
  const whole = point < 0 ? parts : parts.slice(0, point)
  const decimals = point < 0 ? [] : parts.slice(point + 1)
  if (!whole.some((part) => 'digit' in part)) return undefined
  const places = decimals.filter((part) => 'digit' in part).length
  return (value) => {
    const digits = value.toFixed(places)
    if (value < 0 || value >= 1e15 || Number(digits) !== value) return undefined
    const [before = '', after = ''] = digits.split('.')
    return fillWhole(whole, before) + (point < 0 ? '' : '.') + fillDecimals(decimals, after)
  }
}

/** The parts of what holds for positive numbers. */
function partsOf(format: string): Part[] | undefined {
  const parts: Part[] = []
  for (const [token] of format.matchAll(/"[^"]*"|\\.|\[[^\]]*\]|[_*].|./gs)) {
    if (token === ';') break
    const part = partOf(token)
    if (!part) return undefined
    parts.push(part)
  }
  return parts
}

function partOf(token: string): Part | undefined {
  if (token === '0' || token === '#') return { digit: token }
  if (token === '.') return { point: true }
  if (token.length > 1)
    return token.startsWith('[') ? bracketed(token) : { text: /^[_*]/.test(token) ? '' : token.replace(/^["\\]|"$/g, '') }
  return /[\s\-+():№$]/.test(token) ? { text: token } : undefined
}

/** A currency such as `[$₽-419]`, or a color; not a condition such as `[<100]`. */
function bracketed(token: string): Part | undefined {
  if (/^\[[<>=]/.test(token)) return undefined
  return { text: /^\[\$([^-\]]*)/.exec(token)?.[1] ?? '' }
}

/** From the right; digits for which there is no place stand before the first place. */
function fillWhole(parts: Part[], digits: string): string {
  let left = digits
  const first = parts.findIndex((part) => 'digit' in part)
  const filled = parts.map(textOf)
  for (let at = parts.length - 1; at >= 0; at--) {
    const part = parts[at] as Part
    if (!('digit' in part)) continue
    const taken = at === first ? left : left.slice(-1)
    left = left.slice(0, -1)
    filled[at] = taken || (part.digit === '0' ? '0' : '')
  }
  return filled.join('')
}

function fillDecimals(parts: Part[], digits: string): string {
  let at = 0
  return parts.map((part) => ('digit' in part ? digits[at++] : textOf(part))).join('')
}

const textOf = (part: Part) => ('text' in part ? part.text : '')
