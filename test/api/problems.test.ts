import { eq } from 'drizzle-orm'
import t from 'tap'
import { companies, payments, users } from '../../src/database/schema/index.ts'
import { clientOf, tokenFor } from '../support/api.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { insertPayment } from '../support/ledger.ts'

/** What a problem document says, but for its type. */
function said(answer: Answer) {
  const { type, ...problem } = answer.json()
  return { ...problem, answered: answer.statusCode }
}

const unprocessable = { status: 422, title: 'Unprocessable Entity', answered: 422 }
const invalid = { ...unprocessable, detail: 'Some values are not valid. Nothing was saved.' }

t.test('a problem document says what is wrong with each value of a body', async (t) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const root = clientOf(cabinet, 'root')
  const { alpha } = cast.companies
  const other = 'This value is of another type.'
  const errorsOf = (answer: Answer) => {
    const { errors, ...rest } = said(answer)
    t.same(rest, invalid, 'nothing was saved')
    return errors
  }
  const cases: [what: string, answer: Promise<Answer>, errors: Record<string, string>][] = [
    ['unknown', root.post('/companies', { org: 'A', nothing: 1 }), { nothing: 'Unknown field.' }],
    ['of another type', root.post('/companies', { org: 1 }), { org: other }],
    ['nothing for a switch', root.patch(`/orders/${cast.order}`, { version: 1, deferred_payment: null }), { deferred_payment: 'Required' }],
    ['a text for a switch', root.patch(`/orders/${cast.order}`, { version: 1, deferred_payment: '1' }), { deferred_payment: other }],
    ['missing', root.patch(`/companies/${alpha}`, { phone: '1' }), { version: 'Required' }],
    ['no number', root.patch(`/companies/${alpha}`, { version: '1' }), { version: other }],
    ['no list', root.post('/orders', { dealer_id: cast.denis, items: 'x' }), { items: 'This must be a list.' }],
    ['no object', root.post('/orders', { dealer_id: cast.denis, items: [{}, 1] }), { 'items.1': 'This must be an object.' }],
    [
      'a line',
      root.post('/orders', { dealer_id: cast.denis, items: [{ id: 1.5, category_id: 'x', price: 0.5, colour: 1 }] }),
      { 'items.0.id': other, 'items.0.category_id': other, 'items.0.price': other, 'items.0.colour': 'Unknown field.' },
    ],
    ['a step without a number', root.post(`/orders/${cast.order}/transitions`, {}), { transition_id: 'Required' }],
    ['a step by name', root.post(`/orders/${cast.order}/transitions`, { transition_id: 'x' }), { transition_id: other }],
    [
      'the key of a request',
      root.post('/companies', { org: 'A' }, { 'idempotency-key': 'x'.repeat(101) }),
      { 'Idempotency-Key': 'Up to 100 characters.' },
    ],
  ]
  for (const [what, answer, errors] of cases) t.same(errorsOf(await answer), errors, what)
  const payment = insertPayment(db, cast.order)
  const decide = async (body: object) => errorsOf(await clientOf(cabinet, 'admin').patch(`/payments/${payment}`, body))
  t.same(await decide({}), { version: 'Required', state: 'Required' }, 'a decision of nothing')
  t.same(await decide({ version: 1, state: 'rejected' }), { reason: 'Required' }, 'a rejection without a reason')
  t.same(
    await decide({ version: 1, state: 'confirmed', reason: 'No' }),
    { reason: 'Only rejected payments have a reason.' },
    'a confirmation with one',
  )
  t.same(
    said(await root.post('/companies', '{')),
    { status: 400, title: 'Bad Request', detail: 'The body is not valid JSON.', answered: 400 },
    'no JSON',
  )
  t.same(said(await root.post('/companies', '[]')), { ...unprocessable, detail: 'The body must be a JSON object.' }, 'no object')
  db.update(users).set({ language: 'ru' }).where(eq(users.id, cast.root)).run()
  t.same(
    said(await root.post('/companies', { org: 1, nothing: 1 })),
    {
      ...unprocessable,
      detail: 'Не все значения подходят. Ничего не сохранено.',
      errors: { org: 'Значение другого типа.', nothing: 'Неизвестное поле.' },
    },
    'in the language of the person',
  )
})

t.test('a problem document says what is wrong with each parameter of a list', async (t) => {
  const cabinet = await startCabinet(t)
  const root = clientOf(cabinet, 'root')
  const cases: [query: string, errors: Record<string, string>][] = [
    ['limit=501', { limit: 'Enter a whole number from 1 to 500.' }],
    ['updated_since=yesterday', { updated_since: 'Enter a time with its zone, as ISO 8601 writes it.' }],
    ['after=x', { after: 'This page token belongs to another list.' }],
    ['status=x&cost_from=1.5', { status: 'Invalid value', cost_from: 'Invalid value' }],
    ['sort=cost', { sort: 'Unknown parameter.' }],
    ['q=1&q=2', { q: 'This value was sent more than once.' }],
  ]
  for (const [query, errors] of cases) t.same(said(await root.get(`/orders?${query}`)), { ...invalid, errors }, query)
  t.equal((await root.get('/orders?limit=500')).statusCode, 200, 'the most that may be asked for')
})

t.test('a problem document says why somebody may not, or what others have done meanwhile', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, cast, db } = cabinet
  const { alpha } = cast.companies
  const [root, denis] = [clientOf(cabinet, 'root'), clientOf(cabinet, 'denis')]
  const forbidden = { status: 403, title: 'Forbidden', answered: 403 }
  const missing = { status: 404, title: 'Not Found', answered: 404 }
  t.match(said(await denis.get('/companies')), { ...forbidden, detail: "You don't have access.", reasons: { length: 1 } })
  t.match(said(await clientOf(cabinet, 'root', { read_only: true }).post('/companies', { org: 'A' })), {
    ...forbidden,
    detail: 'This token is read-only.',
  })
  t.same(
    said(await root.patch(`/dealers/${cast.denis}`, { version: 1, email: 'new@example.com' })),
    { ...forbidden, detail: 'This needs a password given lately: do it in the cabinet.' },
    'what pages ask the password for',
  )
  t.match(said(await root.get('/orders/987654')), missing)
  t.match(said(await root.get('/nothing')), missing)
  const url = '/api/v1/orders'
  const strange = await app.inject({ url })
  t.equal(strange.headers['www-authenticate'], 'Bearer')
  t.equal(strange.headers['cache-control'], 'no-store', 'nothing on the way keeps it')
  t.equal(strange.json().type, 'about:blank')
  const unauthorized = { status: 401, title: 'Unauthorized', answered: 401 }
  t.same(said(strange), { ...unauthorized, detail: 'Send a valid token in the header "Authorization: Bearer".' })
  t.same(said(await app.inject({ url: `${url}?token=${tokenFor(cabinet, cast.denis)}` })), {
    ...unauthorized,
    detail: 'A token must not be part of an address. Revoke this one: addresses are logged.',
  })
  const conflict = { status: 409, title: 'Conflict', answered: 409 }
  await clientOf(cabinet, 'maria').patch(`/companies/${alpha}`, { version: 1, phone: '1', bank: 'Hers' })
  t.same(said(await root.patch(`/companies/${alpha}`, { version: 1, bank: 'Mine', inn: '7707083893' })), {
    ...conflict,
    detail: 'Somebody else has changed the same fields meanwhile. Nothing was saved.',
    conflicts: [{ field: 'bank', yours: 'Mine', theirs: 'Hers', by: 'Petrova Maria' }],
  })
  t.match(db.select().from(companies).where(eq(companies.id, alpha)).get(), { bank: 'Hers', inn: null })
  const payment = insertPayment(db, cast.order)
  db.update(payments).set({ version: 2 }).where(eq(payments.id, payment)).run()
  const admin = clientOf(cabinet, 'admin')
  t.same(said(await admin.patch(`/payments/${payment}`, { version: 1, state: 'confirmed' })), {
    ...conflict,
    detail: 'Somebody else has changed this payment meanwhile. Nothing was saved.',
  })
  t.equal((await admin.patch(`/payments/${payment}`, { version: 2, state: 'confirmed' })).statusCode, 200)
  t.same(said(await root.patch(`/payments/${payment}`, { version: 3, state: 'rejected', reason: 'Late' })), {
    ...conflict,
    detail: 'Adminov Anton has confirmed this payment.',
  })
})
