import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { databaseName } from '../../src/backup/files.ts'
import { startCabinet } from '../support/cabinet.ts'

const token = 'a token of at least 16 characters'

async function open(environment: Record<string, string> = {}) {
  const { app } = await startCabinet(t, { environment })
  const ask = async (remoteAddress: string, headers: Record<string, string> = {}) => {
    const { statusCode, body } = await app.inject({ url: '/readyz', remoteAddress, headers })
    return `${statusCode} ${body}`
  }
  return { app, ask }
}

t.test('the readiness check writes nothing', async (t) => {
  const { app, ask } = await open()
  const { dataDir } = app.config
  const contents = () =>
    readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.endsWith('-shm'))
      .sort()
      .map((name) => describe(join(dataDir, name)))
  const before = contents()
  const changes = () => app.db.$client.prepare('select total_changes()').pluck().get()
  const changed = changes()
  for (let count = 0; count < 3; count++) t.equal(await ask('127.0.0.1'), '200 ready')
  t.same(contents(), before)
  t.equal(changes(), changed)
})

t.test('only this machine may ask for readiness (403)', async (t) => {
  const { ask } = await open()
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) t.equal(await ask(address), '200 ready', address)
  for (const address of ['198.51.100.7', '10.0.0.1', '2001:db8::1', '::ffff:10.0.0.1'])
    t.equal(await ask(address), '403 forbidden', address)
  t.equal(await ask('127.0.0.1', { 'x-forwarded-for': '198.51.100.7' }), '403 forbidden', 'nor others through a proxy here')
  t.equal(await ask('198.51.100.7', { authorization: 'Bearer ' }), '403 forbidden', 'no token is set')
})

t.test('behind a proxy, forwarded visitors do not count as this machine (403)', async (t) => {
  const { ask } = await open({ TRUST_PROXY: 'on' })
  t.equal(await ask('127.0.0.1', { 'x-forwarded-for': '198.51.100.7' }), '403 forbidden')
  t.equal(await ask('127.0.0.1'), '200 ready')
})

t.test('others may ask for readiness with the configured token', async (t) => {
  const { ask } = await open({ READY_TOKEN: token })
  t.equal(await ask('198.51.100.7', { authorization: `Bearer ${token}` }), '200 ready')
  for (const authorization of [token, 'Bearer wrong', `Bearer ${token}x`, 'Bearer', `Basic ${token}`])
    t.equal(await ask('198.51.100.7', { authorization }), '403 forbidden', authorization)
  t.equal(await ask('127.0.0.1'), '200 ready')
})

/** A process that reads the database as a file loses its locks on it, and other programs then delete what is not yet in it. */
function describe(path: string): string {
  const { mtimeMs, size } = statSync(path)
  return basename(path).startsWith(databaseName) ? `${path} ${size} ${mtimeMs}` : `${path} ${mtimeMs} ${digest(path)}`
}

const digest = (path: string) => (statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder')
