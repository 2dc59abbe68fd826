import { Secret, TOTP } from 'otpauth'

const period = 30

export const totp = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...names, secret: Secret.fromBase32(secret), period })

export function matchTimeStep(secret: string, code: string): number | undefined {
  const token = code.replace(/\s/g, '')
  const delta = /^\d{6}$/.test(token) ? totp(secret).validate({ token, window: 1 }) : null
  return delta === null ? undefined : Math.floor(Date.now() / 1000 / period) + delta
}
