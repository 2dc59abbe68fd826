import t from 'tap'
import type { Test } from '../support/browser.ts'
import type { Answer } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { ask } from '../support/every-route.ts'
import { isDocument } from '../support/html.ts'
import { exportInProcess } from '../support/in-process-exports.ts'
import { type MarkedCabinet, people, startMarked } from '../support/marked.ts'
import { isRefinement, type Offer, offersOf, shapeOf } from '../support/offers.ts'

const skipped = /^\/(assets|logout|notifications\/stream)\b/

/** They see nearly everything, so that two records of a kind stand for all. */
const sampled: readonly Name[] = ['root', 'admin', 'clerk']

/** What whoever may know it is sure to come across. */
const certain = /^(the (receiver|address|line|note on|title of published)|a (detail|message|view)|an internal|the manager's)/

t.test('whatever a page offers is let in, and no answer tells what its reader may not know', async (t) => {
  exportInProcess(t)
  const cabinet = await startMarked(t)
  for (const name of people) t.test(name, async (t) => lookAtOffers(t, cabinet, name))
})

async function lookAtOffers(t: Pick<Test, 'same'>, cabinet: MarkedCabinet, name: Name) {
  const browser = cabinet.browserOf(name)
  const waiting = startsOf(cabinet, name).map((address) => ({
    offer: { method: 'GET', address, body: '', label: '' } as Offer,
    from: 'the start',
  }))
  const known = new Map<string, Set<string>>()
  const isNew = (offer: Offer) => {
    const shape = shapeOf(offer)
    const kind = sampled.includes(name) ? shape.replace(/\d+/g, '#') : shape
    const shapes = known.get(kind) ?? new Set()
    if (shapes.has(shape) || (sampled.includes(name) && shapes.size > 1)) return false
    known.set(kind, shapes.add(shape))
    return true
  }
  const refused: string[] = []
  const leaks: string[] = []
  const told = new Set<string>()
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { offer, from } = next
    const answer = await ask(cabinet, browser, offer as never, offer.address, {}, undefined, offer.body)
    const where = `${offer.method} ${offer.address} (“${offer.label}” of ${from})`
    if (!isKept(offer, from, answer)) refused.push(`${answer.statusCode} ${where}`)
    for (const leak of cabinet.leaksIn(name, answer.body)) leaks.push(`${cabinet.whatIs(leak)}: ${where}`)
    if (offer.method === 'POST') continue
    for (const one of cabinet.marksIn(answer.body)) told.add(one)
    if (!isDocument(answer)) continue
    const isWanted = (one: Offer) => !skipped.test(one.address) && !isRefinement(one, offer.address) && isNew(one)
    waiting.push(...offersOf(answer.body, offer.address, isWanted).map((one) => ({ offer: one, from: offer.address })))
  }
  t.same(refused, [], 'nothing that is offered is refused')
  t.same([...new Set(leaks)], [], 'nothing is told that they must not know')
  if (sampled.includes(name)) return
  const certainly = cabinet.marks.filter((one) => cabinet.mayKnow(name, one) && certain.test(cabinet.whatIs(one)))
  t.same(certainly.filter((one) => !told.has(one)).map(cabinet.whatIs), [], 'everything is told that they may know')
}

/** The dashboard, and what a search finds. */
function startsOf({ marks, mayKnow, whatIs }: MarkedCabinet, name: Name): string[] {
  const named = marks.filter((one) => mayKnow(name, one) && /^the (name of (company|dealer)|title|line of order [1-4]$)/.test(whatIs(one)))
  return ['/', '/orders/board', ...named.map((one) => `/find?q=${one}`)]
}

/** A step of the board must be possible, or be led to where it is, and a message that can be edited opens. */
function isKept({ method, address }: Offer, from: string, { statusCode, body }: Answer): boolean {
  if ([403, 404, 409].includes(statusCode) || statusCode >= 500) return false
  if (address.startsWith('/orders/transitions') && from === '/orders/board')
    return method === 'POST' ? statusCode === 303 : /name="transition_id"|data-alone=/.test(body)
  return !/^\/orders\/\d+\?edit=/.test(address) || body.includes('id="edit-text"')
}
