import { Resolver } from 'node:dns/promises'
import t from 'tap'
import { isPublic } from '../../src/modules/notifications/webhooks/addresses.ts'
import { namesPrivateAddress } from '../../src/modules/notifications/webhooks/send.ts'
import { startCabinet } from '../support/cabinet.ts'
import { addWebhook, deliveriesOf, dueNow, startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const addresses = {
  public: ['93.184.216.34', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.63.255.255', '2606:4700:4700::1111', '::ffff:8.8.8.8'],
  private: [
    ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
    ...['100.64.0.1', '100.127.255.255', '192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '224.0.0.1', '240.0.0.1'],
    ...['255.255.255.255', '::', '::1', '::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
    ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::'],
    ...['2001::1', '2001:db8::1', '100::1', '', 'localhost'],
  ],
}

t.test('addresses of the internet are told from all others', async (t) => {
  for (const address of addresses.public) t.ok(isPublic(address), address)
  for (const address of addresses.private) t.notOk(isPublic(address), address)
})

t.test('an address written in any way is judged by the IP address that it stands for', async (t) => {
  const spellings = [
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0',
    '127.0.0.1.',
    '[::1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
  ]
  for (const host of spellings) t.ok(namesPrivateAddress(`http://${host}:8080/`, new Set()), host)
  t.notOk(namesPrivateAddress('http://[::1]/', new Set(['::1'])), 'unless it is allowed')
  t.notOk(namesPrivateAddress('http://LOCALHOST/', new Set()), 'a name is judged when it is connected to')
})

/** Names mean what is said here; each answer in turn, the last one from then on. */
function nameMeans(test: { teardown: (end: () => void) => void }, four: string[][], six: string[][] = []): string[] {
  const asked: string[] = []
  const { resolve4, resolve6 } = Resolver.prototype
  const answer = (answers: string[][]) => async (name: string) => {
    asked.push(name)
    const found = answers.length > 1 ? answers.shift() : answers[0]
    if (!found) throw Object.assign(new Error('no such name'), { code: 'ENODATA' })
    return found
  }
  Object.assign(Resolver.prototype, { resolve4: answer(four), resolve6: answer(six) })
  test.teardown(() => Object.assign(Resolver.prototype, { resolve4, resolve6 }))
  return asked
}

async function start(test: Parameters<typeof startCabinet>[0], environment: Record<string, string> = {}) {
  const cabinet = await startCabinet(test, { environment })
  const receiver = await startReceiver(test)
  const { port } = new URL(receiver.url)
  const answers = () => cabinet.db.$client.prepare('select status, answer from webhook_attempts').all()
  const send = async (host: string) => {
    const { id, answer } = await addWebhook(cabinet, `http://${host}:${port}/`)
    if (answer.statusCode !== 200) throw new Error(`${host}: ${answer.statusCode}`)
    const before = answers().length
    await (await cabinet.as('root')).post(`/webhooks/${id}/test`)
    await until(() => answers().length > before)
    return id
  }
  return { ...cabinet, receiver, send, answers }
}

t.test('nothing is sent to a name that means this machine or its network, whichever of its addresses', async (t) => {
  for (const [four, six] of [
    [[['127.0.0.1']], []],
    [[], [['::1']]],
    [[['93.184.216.34']], [['::ffff:127.0.0.1']]],
    [[['93.184.216.34', '127.0.0.1']], []],
    [[['169.254.169.254']], []],
  ] as [string[][], string[][]][])
    t.test(JSON.stringify([four, six]), async (t) => {
      const asked = nameMeans(t, four, six)
      const { receiver, send, answers } = await start(t)
      await send('hooks.example.com')
      t.same(answers(), [{ status: null, answer: 'private-address' }])
      t.same(receiver.requests, [])
      t.ok(asked.includes('hooks.example.com'))
    })
})

t.test('a name is judged at each connection, whatever it meant before', async (t) => {
  // The first one is of nobody: nothing is reached there, and nothing is refused.
  nameMeans(t, [['2.0.0.0'], ['127.0.0.1']])
  const cabinet = await start(t)
  cabinet.app.timeouts.webhook = 200
  const id = await cabinet.send('hooks.example.com')
  t.notMatch(cabinet.answers(), [{ answer: 'private-address' }])
  dueNow(cabinet)
  await until(() => cabinet.answers().length === 2)
  t.match(cabinet.answers()[1], { status: null, answer: 'private-address' })
  t.match(deliveriesOf(cabinet, id), [{ state: 'waiting', attempts: 2 }])
  t.same(cabinet.receiver.requests, [])
})

t.test('hosts that WEBHOOK_HOSTS names are sent to, others beside them are not', async (t) => {
  const asked = nameMeans(t, [['127.0.0.1']])
  const { receiver, send, answers } = await start(t, { WEBHOOK_HOSTS: 'localhost,127.0.0.1' })
  await send('localhost')
  await send('127.0.0.1')
  t.equal(receiver.requests.length, 2)
  t.same(asked, [], 'as the operating system looks them up')
  await send('other.localhost')
  t.same(answers().at(-1), { status: null, answer: 'private-address' })
  t.equal(receiver.requests.length, 2)
})

t.test('a name that nobody knows is tried again', async (t) => {
  nameMeans(t, [])
  const { send, answers } = await start(t)
  await send('unknown.example.com')
  t.same(answers(), [{ status: null, answer: 'ENODATA' }])
})
