import t from 'tap'
import { bestEffort, storageUnavailableReason } from '../../src/database/storage-unavailable.ts'

const failed = (code: string) => Object.assign(new Error(code), { code })

t.test('a disk or quota that is full, and a database that is locked, are told apart from faults', async (t) => {
  const reasons = {
    full: ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'],
    busy: ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED', 'PASSWORDS_BUSY'],
    none: ['SQLITE_CONSTRAINT', 'SQLITE_IOERR', 'NOT_SQLITE_BUSY', 'EACCES'],
  }
  for (const [reason, codes] of Object.entries(reasons))
    for (const code of codes) {
      t.equal(storageUnavailableReason(failed(code)) ?? 'none', reason, code)
      t.equal(storageUnavailableReason(new Error('of a query', { cause: failed(code) })) ?? 'none', reason, `${code}, within another error`)
    }
  t.equal(storageUnavailableReason('SQLITE_FULL'), undefined, 'what is no error')
  for (const code of ['SQLITE_BUSY', 'ENOSPC'])
    t.doesNotThrow(
      () =>
        bestEffort(() => {
          throw failed(code)
        }),
      `${code}: what was only a favor is left out`,
    )
  t.throws(() =>
    bestEffort(() => {
      throw failed('SQLITE_CONSTRAINT')
    }),
  )
})
