import QRCode from 'qrcode'
import { totp } from './time-codes.ts'

export function qrImage(secret: string, label: string, issuer: string): string {
  const { modules } = QRCode.create(totp(secret, { issuer, label }).toString(), { errorCorrectionLevel: 'M' })
  const squares = [...modules.data].flatMap((dark, index) =>
    dark ? `M${index % modules.size} ${Math.floor(index / modules.size)}h1v1h-1z` : [],
  )
  const side = modules.size + 8
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${side} ${side}"><path fill="#fff" d="M-4-4h${side}v${side}h-${side}z"/><path d="${squares.join('')}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
