type Rgb = [red: number, green: number, blue: number]

const white: Rgb = [255, 255, 255]
const black: Rgb = [0, 0, 0]
const step = 0.02

/**
 * The accent color as close to the chosen one as stays readable: below white text and as text on white; in the dark also against
 * dark surfaces, so it is lightened there.
 */
export function readableAccent(color: string): { light: string; dark: string } {
  const chosen = parse(color)
  const light = mixUntil(chosen, black, (mixed) => contrastToWhite(mixed) >= 4.6)
  return { light: format(light), dark: format(mixUntil(light, white, (mixed) => contrastToWhite(mixed) <= 5.2)) }
}

export function textColorOn(color: string): string {
  return luminance(parse(color)) > 0.179 ? '#000' : '#fff'
}

export function isColor(text: string | null): text is string {
  return /^#[\da-f]{6}$/i.test(text ?? '')
}

function mixUntil(color: Rgb, other: Rgb, accepts: (mixed: Rgb) => boolean): Rgb {
  for (let part = 0; part < 1; part += step) {
    const mixed = color.map((channel, at) => Math.round(channel * (1 - part) + (other[at] as number) * part)) as Rgb
    if (accepts(mixed)) return mixed
  }
  return other
}

function contrastToWhite(color: Rgb): number {
  return 1.05 / (luminance(color) + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => toLinear(channel / 255)) as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function toLinear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}

function parse(color: string): Rgb {
  const digits = color.length === 4 ? color.replace(/[\da-f]/gi, '$&$&') : color
  return [1, 3, 5].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as Rgb
}

function format(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
