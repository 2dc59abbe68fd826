import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { startCabinet } from './support/cabinet.ts'
import { temporaryFolder } from './support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

t.test('the nightly unit keeps the backups of two weeks, and an unfinished one takes the place of none', async (t) => {
  const [, backup, cleaning] = /^ExecStart=(.*)\n[\s\S]*^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(read('deploy/cabinet-backup.service')) ?? []
  t.equal(backup, '/usr/bin/node dist/commands/backup.js /srv/backups/cabinet')
  const target = temporaryFolder(t)
  const nights = Array.from({ length: 16 }, (_, night) => `2026-10-${20 + night > 31 ? `31T${10 + night}` : `${20 + night}T03`}-00-00Z`)
  const unfinished = ['2026-10-01T03-00-00Z.part', '2026-12-01T03-00-00Z.part']
  for (const name of [...nights, ...unfinished]) {
    mkdirSync(join(target, name))
    writeFileSync(join(target, name, 'backup.json'), '{}')
  }
  const clean = () => execFileSync('sh', ['-c', (cleaning as string).replace('/srv/backups/cabinet', target)], { encoding: 'utf8' })
  clean()
  t.same(readdirSync(target).sort(), [...nights.slice(2), ...unfinished].sort())
  clean()
  t.equal(readdirSync(target).length, 16, 'fourteen are not too many')
  t.ok(read('deploy/cabinet-backup.timer').includes('\nOnCalendar=daily\nPersistent=true\n'))
})

t.test('what runs the service confines and limits it as the documents say', async (t) => {
  const promised: Record<string, string[]> = {
    'deploy/cabinet.service': ['MemoryMax=1G', 'OOMPolicy=continue', 'TimeoutStopSec=75', 'Restart=on-failure', 'StateDirectoryMode=0700'],
    'deploy/cabinet-backup.service': ['PrivateNetwork=yes', 'ReadWritePaths=/srv/backups/cabinet', 'StateDirectoryMode=0700'],
    'deploy/cabinet-files.service': ['ReadOnlyPaths=/var/lib/cabinet', 'ReadWritePaths=/srv/replica', 'Restart=always'],
    'deploy/cabinet-litestream.service': [
      'ReadWritePaths=/var/lib/cabinet /srv/replica',
      'Environment=REPLICA=/srv/replica',
      'Restart=always',
    ],
    'compose.yaml': ['mem_limit: 1g', 'stop_grace_period: 75s', 'ports: ["127.0.0.1:3000:3000"]', 'environment: { TRUST_PROXY: "on" }'],
    Dockerfile: ['USER node', 'VOLUME /data'],
  }
  for (const [file, settings] of Object.entries(promised)) {
    const lines = read(file)
      .split('\n')
      .map((line) => line.trim())
    t.same(
      settings.filter((line) => !lines.includes(line)),
      [],
      file,
    )
  }
  const confined = read('compose.yaml').split(/^ {2}\w+:$/m)
  t.equal(confined.filter((service) => /read_only: true[\s\S]*cap_drop: \[ALL\]/.test(service)).length, 3)
})

t.test(
  'the proxies let forms with files through, send the headers that are trusted, and hold no stream of notifications back',
  async (t) => {
    const { app } = await startCabinet(t)
    const [nginx, caddy] = [read('deploy/nginx.conf'), read('deploy/Caddyfile')]
    const locations = [...nginx.matchAll(/location (\S+) \{([^}]*)\}/g)].map(([, path = '', settings = '']) => ({ path, settings }))
    t.same(
      locations.map(({ path }) => path),
      ['/', '/notifications/stream'],
    )
    t.ok(app.hasRoute({ method: 'GET', url: '/notifications/stream' }))
    for (const { path, settings } of locations)
      for (const header of ['Host $host', 'X-Forwarded-For $remote_addr', 'X-Forwarded-Host $host', 'X-Forwarded-Proto $scheme'])
        t.match(settings, `proxy_set_header ${header};`, path)
    t.match(locations[1]?.settings, /proxy_buffering off;\s+proxy_read_timeout 1h;/)
    t.match(nginx, 'client_max_body_size 200m;')
    t.match(caddy, 'max_size 200MB')
    t.match(caddy, 'flush_interval -1')
    for (const text of [nginx, caddy]) t.match(text, /(proxy_pass http:\/\/|reverse_proxy )127\.0\.0\.1:3000\b/)
  },
)

/** A replica, and a command of Litestream's that knows generations up to these times and writes down what it is asked for. */
function replicaOf(t: Test, ...until: string[]) {
  const [replica, elsewhere, bin] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
  const generations = ['name generation lag start end', ...until.map((end) => `file abc 0s 2026-11-01T00:00:00Z ${end}`)]
  const script = `#!/bin/sh\nif [ $1 = generations ]; then echo '${generations.join('\n')}'; else echo "$@" > ${elsewhere}/asked; fi\n`
  writeFileSync(join(bin, 'litestream'), script)
  chmodSync(join(bin, 'litestream'), 0o755)
  mkdirSync(join(replica, 'files/ab'), { recursive: true })
  const files = { 'files/ab/abc': 'upload', 'session.key': 'key', 'session.key.part': 'half a key', 'copied-at': '2026-11-23T10:00:00Z\n' }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(replica, name), content)
  const restore = (...folders: string[]) =>
    spawnSync('sh', [join(root, 'deploy/restore-replica.sh'), ...folders], {
      encoding: 'utf8',
      env: { PATH: `${bin}${delimiter}${process.env.PATH}` },
    })
  return { replica, data: join(elsewhere, 'data'), restore, asked: () => readFileSync(join(elsewhere, 'asked'), 'utf8').trim() }
}

t.test('a standby is restored as of the last copy of the uploads, with uploads and key, and nothing half-copied', async (t) => {
  const { replica, data, restore, asked } = replicaOf(t, '2026-11-23T10:00:05Z', '2026-11-20T10:00:00Z')
  const { status, stdout } = restore(replica, data)
  t.equal(status, 0)
  t.equal(stdout, `${data} holds the cabinet as of 2026-11-23T10:00:00Z\n`)
  t.equal(asked(), `restore -timestamp 2026-11-23T10:00:00Z -o ${data}/cabinet.sqlite file://${replica}/database`)
  t.same(readdirSync(data, { recursive: true, encoding: 'utf8' }).sort(), ['files', 'files/ab', 'files/ab/abc', 'session.key'])
})

t.test('a standby whose database is older than its uploads is restored whole', async (t) => {
  const { replica, data, restore, asked } = replicaOf(t, '2026-11-23T09:59:59Z')
  t.equal(restore(replica, data).status, 0)
  t.equal(asked(), `restore -o ${data}/cabinet.sqlite file://${replica}/database`)
})

t.test('a standby is restored into an empty folder only', async (t) => {
  const { replica, data, restore } = replicaOf(t, '2026-11-23T10:00:05Z')
  mkdirSync(data)
  writeFileSync(join(data, 'precious'), 'here')
  t.match(restore(replica, data), { status: 1, stderr: `${data} is not empty\n` })
  t.same(readdirSync(data), ['precious'])
  t.match(restore(replica), { status: 1, stderr: /^Usage: .*restore-replica\.sh <replica> <data folder>\n$/ })
})
