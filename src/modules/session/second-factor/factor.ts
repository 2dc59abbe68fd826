import { randomInt } from 'node:crypto'
import { and, count, eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import QRCode from 'qrcode'
import { allOf, anyOf, inOwnName, superadministrator } from '../../../core/access.ts'
import { type Author, type Database, logSecurityEvent, recoveryCodes, secondFactors } from '../../../database/index.ts'
import { requireRecentPassword } from '../../../web/access/policy-hook.ts'
import { onRecord, writeRecord } from '../../../web/access/record-routes.ts'
import { hashToken } from '../../../web/access/tokens.ts'
import { queueAccountNotice } from '../../notifications/queue.ts'
import { redirectToTab, type User } from '../../users/accounts.ts'
import { removePasskeys } from '../passkeys/passkey.ts'

const period = 30
const codesPerUser = 10
// Without letters and digits that are taken for one another.
const codeLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

const totp = (secret: string, names: { issuer?: string; label?: string } = {}) =>
  new TOTP({ ...names, secret: Secret.fromBase32(secret), period })

export const newSecret = () => new Secret({ size: 20 }).base32

export function matchTimeStep(secret: string, code: string): number | undefined {
  const token = code.replace(/\s/g, '')
  const delta = /^\d{6}$/.test(token) ? totp(secret).validate({ token, window: 1 }) : null
  return delta === null ? undefined : Math.floor(Date.now() / 1000 / period) + delta
}

export function consumeCode(db: Database, userId: number, code: string): 'app' | 'recovery' | undefined {
  const factor = db.select().from(secondFactors).where(eq(secondFactors.user_id, userId)).get()
  const step = factor && matchTimeStep(factor.secret, code)
  if (factor && step !== undefined && step > factor.last_step) {
    db.update(secondFactors).set({ last_step: step }).where(eq(secondFactors.user_id, userId)).run()
    return 'app'
  }
  const recovery = and(eq(recoveryCodes.user_id, userId), eq(recoveryCodes.code_hash, hashCode(code)))
  return factor && db.delete(recoveryCodes).where(recovery).run().changes > 0 ? 'recovery' : undefined
}

export function enableFactor(app: FastifyInstance, user: User, secret: string, step: number, author: Author): string[] {
  app.db.insert(secondFactors).values({ user_id: user.id, secret, last_step: step, created_at: Date.now() }).run()
  announce(app, user, 'on', author)
  return replaceCodes(app.db, user.id)
}

export function regenerateCodes(app: FastifyInstance, user: User, author: Author): string[] {
  announce(app, user, 'new recovery codes', author)
  return replaceCodes(app.db, user.id)
}

export function removeFactor(app: FastifyInstance, user: User, author: Author): void {
  if (!deleteFactor(app.db, user.id)) return
  announce(app, user, 'off', author)
}

export function deleteFactor(db: Database, userId: number): boolean {
  db.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId)).run()
  return db.delete(secondFactors).where(eq(secondFactors.user_id, userId)).run().changes > 0
}

export function codesLeft(db: Database, userId: number): number {
  return db.select({ left: count() }).from(recoveryCodes).where(eq(recoveryCodes.user_id, userId)).get()?.left ?? 0
}

export function qrImage(secret: string, label: string, issuer: string): string {
  const { modules } = QRCode.create(totp(secret, { issuer, label }).toString(), { errorCorrectionLevel: 'M' })
  const squares = [...modules.data].flatMap((dark, index) =>
    dark ? `M${index % modules.size} ${Math.floor(index / modules.size)}h1v1h-1z` : [],
  )
  const side = modules.size + 8
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${side} ${side}"><path fill="#fff" d="M-4-4h${side}v${side}h-${side}z"/><path d="${squares.join('')}"/></svg>`
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}

function announce(app: FastifyInstance, user: User, detail: string, author: Author): void {
  logSecurityEvent(app.db, { event: 'factor-changed', author, user, detail })
  queueAccountNotice(app, user, 'factor-changed', author)
}

function replaceCodes(db: Database, userId: number): string[] {
  db.delete(recoveryCodes).where(eq(recoveryCodes.user_id, userId)).run()
  const codes = Array.from({ length: codesPerUser }, newCode)
  for (const code of codes)
    db.insert(recoveryCodes)
      .values({ user_id: userId, code_hash: hashCode(code) })
      .run()
  return codes
}

function newCode(): string {
  const letters = Array.from({ length: 10 }, () => codeLetters[randomInt(codeLetters.length)]).join('')
  return `${letters.slice(0, 5)}-${letters.slice(5)}`
}

const hashCode = (code: string) => hashToken(code.toUpperCase().replace(/[^A-Z0-9]/g, ''))

const mayReset = allOf(anyOf(superadministrator), anyOf(inOwnName))

export async function secondFactorResetRoutes(app: FastifyInstance): Promise<void> {
  for (const { name, find } of app.userTypes.values())
    app.post(
      `/${name}/edit/:id/factor/reset`,
      onRecord({ access: mayReset, record: find }, (request, reply, user) => {
        requireRecentPassword(request)
        writeRecord(request, user, (current) => {
          removeFactor(app, current, request.author)
          removePasskeys(app, current, request.author)
        })
        return redirectToTab(request, reply, user, 'sessions', 'Two-step verification of {name} is off, passkeys are removed.')
      }),
    )
}
