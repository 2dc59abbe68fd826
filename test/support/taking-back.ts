import { findSettings } from '../../src/database/settings.ts'
import type { Browser, Cabinet } from './cabinet.ts'

/** Does something without leaving a trace in the database or among somebody's cookies. */
export async function takingBack<T>({ db }: Pick<Cabinet, 'db'>, work: () => T | Promise<T>, browser?: Browser): Promise<T> {
  const cookies = [...(browser?.cookies ?? [])]
  // What was kept until the write that was taken back last is kept again only from outside of a transaction.
  findSettings(db)
  db.$client.exec('begin immediate')
  try {
    return await work()
  } finally {
    db.$client.exec('rollback')
    browser?.cookies.clear()
    for (const [name, value] of cookies) browser?.cookies.set(name, value)
  }
}
