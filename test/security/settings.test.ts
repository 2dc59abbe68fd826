import t from 'tap'
import { configWarnings, readConfig } from '../../src/config.ts'
import { startCabinet } from '../support/cabinet.ts'
import { startMailServer } from '../support/channel-servers.ts'
import { startService, temporaryFolder } from '../support/service.ts'

t.test('mail to another machine is encrypted unless configured otherwise', async (t) => {
  const required = (SMTP_URL: string, more: Record<string, string> = {}) => readConfig({ SMTP_URL, ...more }).mail?.requireTls
  for (const host of ['mail.example.com', 'user:secret@mail.example.com:587', '10.0.0.5', '[2001:db8::1]:25'])
    t.equal(required(`smtp://${host}`), true, host)
  for (const host of ['localhost', '127.0.0.1:2525', '[::1]:25']) t.equal(required(`smtp://${host}`), false, host)
  t.equal(required('smtps://mail.example.com'), false, 'which smtps always is')
  t.equal(required('smtp://mail.example.com', { SMTP_TLS: 'optional' }), false)
})

t.test('a mail server without encryption gets no mail when encryption is required', async (t) => {
  const office = await startMailServer(t)
  // An address of this machine that is not among those of the loopback by name.
  const url = office.url.replace('127.0.0.1', '0.0.0.0')
  const mail = { to: 'denis@example.com', subject: 'A secret', text: 'A link' }
  const strict = await startCabinet(t, { environment: { SMTP_URL: url } })
  await t.rejects(async () => strict.app.sendMail?.(mail), /tls/i)
  t.same(office.letters, [])
  const lenient = await startCabinet(t, { environment: { SMTP_URL: url, SMTP_TLS: 'optional' } })
  await lenient.app.sendMail?.(mail)
  t.equal(office.letters.length, 1)
})

t.test('the start warns about public http and about mail without PUBLIC_URL', async (t) => {
  const warnings = (environment: Record<string, string>) =>
    configWarnings(readConfig({ NODE_ENV: 'production', ...environment })).map((warning) => warning.split(':')[0])
  t.same(warnings({ HOST: '0.0.0.0', SMTP_URL: 'smtp://127.0.0.1:9' }), ['HOST', 'PUBLIC_URL'])
  t.same(warnings({ HOST: '0.0.0.0', SMTP_URL: 'smtp://127.0.0.1:9', PUBLIC_URL: 'https://cabinet.example.com' }), [])
  t.same(warnings({ HOST: '0.0.0.0', PUBLIC_URL: 'http://cabinet.example.com' }), ['HOST'])
  t.same(warnings({}), [])
  const service = await startService(t, { DATA_DIR: temporaryFolder(t), NODE_ENV: 'production', SMTP_URL: 'smtp://127.0.0.1:9' })
  await service.stop()
  const logged = service.log().map((line) => JSON.parse(line) as { level: number; msg: string })
  t.match(
    logged.filter(({ level }) => level === 40).map(({ msg }) => msg),
    [/^PUBLIC_URL/],
    'in the log',
  )
})
