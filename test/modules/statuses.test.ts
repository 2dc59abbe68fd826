import t from 'tap'
import { statusTransitions } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { errorsOf, idsOf } from '../support/html.ts'

t.test('the list and the card', async (t) => {
  const { as, db } = await startCabinet(t)
  const root = await as('root')
  t.same(idsOf(await root.get('/statuses'), 'statuses'), [1, 2, 3, 4, 5, 6, 10, 7, 8, 9], 'in the order of the way')
  t.equal((await root.get('/status/edit/new')).statusCode, 200)
  const created = await root.post('/status/add', { status_key: 'hold', name: 'On hold' })
  t.equal(created.headers.location, '/status/edit/hold')
  const before = db.select().from(statusTransitions).all()
  const saved = await root.post('/status/edit/5', { transitions: '', 'transitions[0][id]': 5, 'transitions[0][child_status_id]': 99 })
  t.equal(saved.statusCode, 422)
  t.same(Object.keys(errorsOf(saved)), ['transitions.0.child_status_id'])
  t.same(db.select().from(statusTransitions).all(), before)
})
