import { createRequire } from 'node:module'
import type QRCode from 'qrcode'

const require = createRequire(import.meta.url)

/** The white border around a code that readers need, in its squares. */
const margin = 4

/** A QR code as a drawing in SVG, black on white wherever it stands. */
export function qrCode(text: string): string {
  // Few services draw one.
  const { create } = require('qrcode') as typeof QRCode
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules
  const squares = [...data].flatMap((dark, index) => (dark ? `M${index % size} ${Math.floor(index / size)}h1v1h-1z` : []))
  const side = size + 2 * margin
  const paper = `M-${margin}-${margin}h${side}v${side}h-${side}z`
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-${margin} -${margin} ${side} ${side}">`
  return `${head}<path fill="#fff" d="${paper}"/><path d="${squares.join('')}"/></svg>`
}
