import QRCode from 'qrcode'

/** The white border around a code that readers need, in its squares. */
const margin = 4

/** A QR code as a drawing in SVG. */
export function qrCode(text: string): string {
  const { size, data } = QRCode.create(text, { errorCorrectionLevel: 'M' }).modules
  const squares = [...data].flatMap((dark, index) => (dark ? `M${index % size} ${Math.floor(index / size)}h1v1h-1z` : []))
  const side = size + 2 * margin
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-${margin} -${margin} ${side} ${side}"><path d="${squares.join('')}"/></svg>`
}
