import fc from 'fast-check'
import t from 'tap'
import { linkParts } from '../../src/core/plain-text.ts'
import { firstCharacters, fold, isLongerThan } from '../../src/core/text.ts'
import { notifications, users } from '../../src/database/schema/index.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'

/** Replaces a method until the test ends, and records what it is called on or with. */
function record<T extends object>(
  t: { teardown: (end: () => void) => void },
  owner: T,
  name: keyof T & string,
  textOf: 'this' | 'argument',
) {
  const original = owner[name] as (...given: unknown[]) => unknown
  const texts: string[] = []
  Object.assign(owner, {
    [name](this: unknown, ...given: unknown[]) {
      texts.push(String(textOf === 'this' ? this : given[0]))
      return original.apply(this, given)
    },
  })
  t.teardown(() => void Object.assign(owner, { [name]: original }))
  return texts
}

function addDealers({ db, cast }: Cabinet, count: number): number[] {
  const [denis] = db
    .select()
    .from(users)
    .all()
    .filter(({ id }) => id === cast.denis)
  return Array.from({ length: count }, (_, number) => {
    const { id: _id, ...dealer } = { ...(denis as typeof users.$inferSelect), email: `d${number}@example.com` }
    const named = { ...dealer, lastname: `Reader${String.fromCharCode(97 + (number % 26))}${number}`, search: '' }
    return Number(db.insert(users).values(named).run().lastInsertRowid)
  })
}

t.test('a message of nothing but mentions folds each name once', async (t) => {
  const cabinet = await startCabinet(t)
  addDealers(cabinet, 200)
  const maria = await cabinet.as('maria')
  const composed = record(t, String.prototype, 'normalize', 'this')
  const answer = await maria.post(`/orders/${cabinet.cast.order}/messages`, { text: '@a '.repeat(3333) })
  t.equal(answer.statusCode, 303)
  t.ok(composed.length < 2_000, `${composed.length} texts were folded for about 200 people with three names each`)
})

t.test('the first fifty mentions are read, and the author is told', async (t) => {
  const cabinet = await startCabinet(t)
  const added = addDealers(cabinet, 60)
  const { cast, db } = cabinet
  const names = db
    .select()
    .from(users)
    .all()
    .flatMap(({ id, lastname }) => (added.includes(id) ? [`@${lastname}`] : []))
  const maria = await cabinet.as('maria')
  t.equal((await maria.post(`/orders/${cast.order}/messages`, { text: names.slice(0, 50).join(' ') })).statusCode, 303)
  t.notMatch((await maria.get(`/orders/${cast.order}`)).body, 'Only the first', 'fifty are read')
  cabinet.db.delete(notifications).run()
  t.equal((await maria.post(`/orders/${cast.order}/messages`, { text: names.join(' ') })).statusCode, 303)
  const told = db
    .select()
    .from(notifications)
    .all()
    .map(({ user_id }) => user_id)
  t.same(
    added.map((id) => told.includes(id)),
    added.map((_, at) => at < 50),
  )
  t.match((await maria.get(`/orders/${cast.order}`)).body, 'Only the first 50 mentions were read')
})

t.test('letters are counted a piece at a time, however long a text is', async (t) => {
  const { as, cast } = await startCabinet(t)
  const denis = await as('denis')
  const counted = record(t, Intl.Segmenter.prototype, 'segment', 'argument')
  const answer = await denis.post(`/orders/${cast.order}/messages`, { text: 'е'.repeat(20_000) })
  t.equal(answer.statusCode, 422)
  t.match(answer.body, 'Up to 10000 characters')
  t.equal((await denis.post('/orders/add', { comment: 'е'.repeat(20_000) })).statusCode, 422)
  t.ok(Math.max(...counted.map(({ length }) => length)) < 1000, 'what counts them copies its text for each')
})

t.test('no text has endless marks on one letter composed', async (t) => {
  const { as, cast } = await startCabinet(t)
  const [denis, root] = [await as('denis'), await as('root')]
  const composed = record(t, String.prototype, 'normalize', 'this')
  const marks = `a${'\u0301\u0316'.repeat(500)}`
  t.equal((await denis.post(`/orders/${cast.order}/messages`, { text: marks })).statusCode, 303)
  t.equal((await root.post('/categories/add', { name: marks })).statusCode, 303)
  t.equal((await denis.get(`/find?q=${encodeURIComponent(marks)}`)).statusCode, 200)
  t.same(
    composed.filter((text) => /\p{M}{31}/u.test(text)),
    [],
  )
})

t.test('characters are counted as readers count them, wherever a piece ends', async (t) => {
  const units = fc.array(fc.constantFrom('a', 'ж', '語', '😀', '🇷🇺', 'é', `e${'\u0301'.repeat(7)}`, '👨‍👩‍👧'), { maxLength: 200 })
  fc.assert(
    fc.property(units, fc.nat(210), (units, count) => {
      const text = units.join('')
      t.equal(isLongerThan(text, count), units.length > count)
      return firstCharacters(text, count) === units.slice(0, count).join('')
    }),
  )
  t.equal(fold('Ёлка e\u0301'), 'елка é')
})

t.test('an address ends before the punctuation that follows it', async (t) => {
  const dots = '.'.repeat(200)
  t.same(linkParts(`see https://a.example${dots}b${dots}`), [
    { text: 'see ' },
    { text: `https://a.example${dots}b`, href: `https://a.example${dots}b` },
    { text: dots },
  ])
})
