import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { cachedUntilWrite } from '../../src/database/cached-until-write.ts'
import { openDatabase, write } from '../../src/database/open.ts'

const folder = mkdtempSync(join(tmpdir(), 'cached-until-write-'))
const db = openDatabase(join(folder, 'test.sqlite'))
db.$client.exec('create table things (name text)')
t.teardown(() => {
  db.$client.close()
  rmSync(folder, { recursive: true })
})

let reads = 0
const names = () =>
  cachedUntilWrite(db, 'names', () => {
    reads += 1
    return db.$client.prepare('select name from things order by name').pluck().all().join()
  })

t.test('what was read is read again only after something was written', async (t) => {
  names()
  names()
  t.equal(reads, 1, 'once')
  db.$client.exec("insert into things values ('a')")
  t.equal(names(), 'a', 'a write of this connection is seen')
  t.equal(reads, 2)
})

t.test('what another process writes is seen at the next turn, and in a transaction at once', async (t) => {
  const other = new Sqlite(join(folder, 'test.sqlite'))
  other.exec("insert into things values ('b')")
  await undefined
  t.equal(names(), 'a,b')
  other.exec("delete from things where name = 'b'")
  write(db, () => t.equal(names(), 'a'))
  await undefined
  t.equal(names(), 'a')
  other.close()
})

t.test('what a transaction that is taken back has seen is not kept', async (t) => {
  t.throws(() =>
    write(db, () => {
      db.$client.exec("insert into things values ('c')")
      t.equal(names(), 'a,c', 'inside, its own writes are seen')
      throw new Error('taken back')
    }),
  )
  t.equal(names(), 'a')
})

t.test('a transaction that has written nothing yet reads nothing again, and what it reads first is kept', async (t) => {
  names()
  const before = reads
  write(db, () => {
    names()
    t.equal(reads, before, 'known from before')
    db.$client.exec("insert into things values ('d')")
    names()
    t.equal(names(), 'a,d')
    t.equal(reads, before + 2, 'its own writes are read each time')
  })
  t.equal(names(), 'a,d')
  t.equal(reads, before + 3)
  const count = () => cachedUntilWrite(db, 'count', () => db.$client.prepare('select count(*) from things').pluck().get())
  t.throws(() =>
    write(db, () => {
      t.equal(count(), 2)
      db.$client.exec("insert into things values ('e')")
      throw new Error('taken back')
    }),
  )
  t.equal(count(), 2)
  write(db, () => t.equal(count(), 2, 'nor does the next one know what was taken back'))
})
