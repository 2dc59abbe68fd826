import { mock } from 'node:test'
import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { listen } from '../support/stream.ts'

t.test('streams that have nothing to tell are kept open by a heartbeat every twenty seconds', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const cabinet = await startCabinet(t, { anew: true })
  const { app, as, cast } = cabinet
  const options = { order: cast.order, heartbeats: true }
  const streams = [await listen(t, cabinet, await as('denis'), options), await listen(t, cabinet, await as('maria'), options)]
  const heard = () => Promise.all(streams.map(({ next }) => next()))
  await heard()
  for (const beat of ['first', 'second']) {
    mock.timers.tick(19_999)
    app.notificationEvents.emit('posted', cast.order, [cast.denis, cast.maria])
    t.same(await heard(), Array(2).fill(`discussion ${cast.order}`), `nothing before the ${beat}`)
    mock.timers.tick(1)
    t.same(await heard(), ['heartbeat', 'heartbeat'], `the ${beat}`)
  }
})
