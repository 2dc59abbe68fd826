import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import type { Test } from 'tap'
import { wrongBalances } from '../../src/database/ledger-balances.ts'
import { password } from '../support/cast.ts'
import { integrityErrors } from '../support/dump.ts'
import { makeRandom } from '../support/random.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { Ledger } from './ledger.ts'
import { createClient, UnexpectedResponse, writers } from './writers.ts'

/** How often a service is killed: `KILLS=20` makes a run that is worth a night. */
export const killsOr = (few: number) => Number(process.env.KILLS) || few

export const admin = { ADMIN_EMAIL: 'root@example.com', ADMIN_PASSWORD: password }

/**
 * Starts the service again and again on one data folder, kills it in the middle of many writes, and looks for every write
 * that it acknowledged, for halves of those it did not, and for damage.
 * @returns how many writes it had acknowledged
 */
export async function killAndVerify(test: Test, { rounds, seed }: { rounds: number; seed: number }): Promise<number> {
  const dataDir = temporaryFolder(test)
  const random = makeRandom(seed)
  const ledger = new Ledger()
  let numbers = 0
  let cookie = ''
  let dealer = ''
  for (let round = 1; round <= rounds; round++) {
    const service = await startService(test, { DATA_DIR: dataDir, ...admin })
    if (round === 1) [cookie, dealer] = [await seedRecords(service), await signIn(service.address)]
    else test.same(findDamage(dataDir, ledger), [], `round ${round}`)
    const clients = { visitor: createClient(service.address, cookie), dealer: createClient(service.address, dealer) }
    const work = { ...clients, ledger, random, next: () => ++numbers }
    let alive = Object.keys(writers).length
    const busy = Object.entries(writers).map(([name, write]) => writeUntilKilled(() => write(work), name).finally(() => (alive -= 1)))
    const enough = ledger.acknowledged + random.integer(3, 40)
    while (ledger.acknowledged < enough && alive > 0) await pause(1)
    await pause(random.integer(0, 9))
    await service.kill()
    forgetLimits(dataDir)
    const refused = (await Promise.all(busy)).filter((said) => said !== undefined)
    test.same(refused, [], `round ${round}: nothing was refused`)
  }
  await startService(test, { DATA_DIR: dataDir, ...admin })
  test.same(findDamage(dataDir, ledger), [], 'at the end')
  return ledger.acknowledged
}

type Service = Awaited<ReturnType<typeof startService>>

/** What the writers find: a category, two companies, a manager (id 2), a dealer (id 3) and an order of theirs. */
export async function seedRecords(service: Service): Promise<string> {
  const person = { password, lastname: 'Personal details', name: 'Some' }
  const steps: [path: string, fields: Record<string, string | number>][] = [
    ['/login', { email: 'root@example.com', password }],
    ['/categories/add', { name: 'Windows' }],
    ['/company/add', { org: 'Alpha' }],
    ['/company/add', { org: 'Beta' }],
    ['/managers/add', { ...person, email: 'manager@example.com' }],
    ['/company/edit/1', { manager_id: 2 }],
    ['/dealers/add', { ...person, email: 'dealer@example.com', company_id: 1 }],
    ['/orders/add', { dealer_id: 3, without_lines: 1 }],
  ]
  for (const [path, fields] of steps) {
    const { status } = await service.post(path, fields)
    if (status !== 303) throw new Error(`${path}: ${status}`)
  }
  return service.cookie()
}

/** The cookie of the dealer. */
export async function signIn(address: string): Promise<string> {
  const body = new URLSearchParams({ email: 'dealer@example.com', password })
  const answer = await fetch(`${address}/login`, { method: 'POST', body, redirect: 'manual' })
  return answer.headers.getSetCookie().at(-1)?.split(';')[0] ?? ''
}

/** Writes until the service is gone; an answer that it should not have given is told. */
export async function writeUntilKilled(write: () => Promise<void>, name: string): Promise<string | undefined> {
  try {
    for (;;) await write()
  } catch (error) {
    return error instanceof UnexpectedResponse ? `${name}: ${error.message}` : undefined
  }
}

/** Otherwise all rounds would count as one hour. */
function forgetLimits(dataDir: string): void {
  const db = new Sqlite(join(dataDir, 'cabinet.sqlite'))
  db.exec('delete from rate_hits')
  db.close()
}

function findDamage(dataDir: string, ledger: Ledger): string[] {
  const db = new Sqlite(join(dataDir, 'cabinet.sqlite'), { readonly: true })
  try {
    const wrong = wrongBalances(db)
    const unbalanced = wrong > 0 ? [`${wrong} balances differ from their entries`] : []
    return [...integrityErrors(db), ...ledger.verify(db), ...unbalanced, ...lostFiles(db, dataDir)]
  } finally {
    db.close()
  }
}

/** Files that are recorded and are not there, or not whole. */
export function lostFiles(db: Sqlite.Database, dataDir: string): string[] {
  const keys = db.prepare('select distinct key from uploads').pluck().all() as string[]
  return keys.filter((key) => {
    const file = join(dataDir, 'files', key.slice(0, 2), key)
    return !existsSync(file) || createHash('sha256').update(readFileSync(file)).digest('hex') !== key
  })
}
