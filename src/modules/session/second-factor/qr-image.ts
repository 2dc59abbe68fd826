import { qrCode } from '../../../documents/qr-code.ts'
import { totp } from './time-codes.ts'

export function qrImage(secret: string, label: string, issuer: string): string {
  const drawing = qrCode(totp(secret, { issuer, label }).toString())
  return `data:image/svg+xml;base64,${Buffer.from(drawing).toString('base64')}`
}
