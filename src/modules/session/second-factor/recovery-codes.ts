import { randomInt } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { hashToken } from '../../../core/tokens.ts'
import { type Database, recoveryCodes } from '../../../database/index.ts'

const codesPerUser = 10

// Without letters and digits that are taken for one another.
const codeLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

export function replaceCodes(db: Database, userId: number): string[] {
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

export const hashCode = (code: string) => hashToken(code.toUpperCase().replace(/[^A-Z0-9]/g, ''))
