import { mock } from 'node:test'
import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { listen } from '../support/stream.ts'

t.test('streams that have nothing to tell are kept open by a heartbeat every twenty seconds', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const cabinet = await startCabinet(t, { anew: true })
  const { app, as, cast } = cabinet
  const options = { order: cast.order }
  const streams = [await listen(t, cabinet, await as('denis'), options), await listen(t, cabinet, await as('maria'), options)]
  for (let beat = 1; beat <= 2; beat++) {
    mock.timers.tick(19_999)
    app.notificationEvents.emit('posted', cast.order, [cast.denis, cast.maria])
    mock.timers.tick(1)
  }
  await app.close()
  for (const { nextEvent } of streams) {
    const heard: string[] = []
    for (let event = await nextEvent(); event; event = await nextEvent()) heard.push(event)
    const message = `discussion ${cast.order}`
    t.same(heard.slice(1), [message, 'heartbeat', message, 'heartbeat'], 'in between only what happened')
  }
})
