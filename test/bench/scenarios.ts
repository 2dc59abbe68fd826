import type { BenchRequest } from './load.ts'

export interface Scenario {
  name: string
  request: () => BenchRequest
  /** What every answer must hold to be right. */
  isCorrect: (body: string) => boolean
  /** The same is written by hand as well. */
  handwritten?: true
  /** Each hit can be made once only, and there are so many. */
  amount?: number
}

/** What is known of a database, asked of it directly in the plainest way. */
export interface Facts {
  size: number
  first: number
  last: number
  atPage1000: number | undefined
  /** How many dealers a text is found in, company and manager included. */
  found: Record<string, number>
  /** Orders that have their first status, and the transition that leads on from it. */
  fresh: number[]
  transition: number
  firstDealer: number
}

export const terms = {
  common: 'anna',
  cyrillic: 'иван',
  rare: 'дверьпром',
  none: 'xyzxyz',
  two: 'an',
  'two, none': 'xq',
  words: 'anna carter',
}

/** Where a count ends, lists may say only that there are more. */
const countLimit = 10_000

export function scenarios(facts: Facts): Scenario[] {
  const { size, first, last, atPage1000, found } = facts
  const shows = (id: number | undefined) => (body: string) => id === undefined || body.includes(`<tr id="dealers-${id}"`)
  const total = (count: number) => (body: string) => {
    const shown = Number(/data-total="(\d+)"/.exec(body)?.[1])
    return count > countLimit ? shown > countLimit : shown === count
  }
  const get = (path: string) => () => ({ path })
  const search = (name: string, term: string): Scenario => ({
    name: `search: ${name}`,
    request: get(`/dealers?q=${encodeURIComponent(term)}`),
    isCorrect: total(found[term] as number),
  })
  let [turn, moved] = [0, 0]
  const toggle = () => {
    const [id, value] = [facts.firstDealer + (turn % 500), Math.floor(turn++ / 500) % 2]
    return { method: 'POST' as const, path: `/dealers/${id}/active`, body: `value=${value}`, headers: { 'hx-request': 'true' } }
  }
  const transition = () => ({
    method: 'POST' as const,
    path: `/orders/edit/${facts.fresh[moved++ % facts.fresh.length]}/transition`,
    body: `transition_id=${facts.transition}`,
    headers: { 'hx-request': 'true' },
  })
  return [
    {
      name: 'list of dealers, first page',
      request: get('/dealers'),
      isCorrect: (body) => shows(first)(body) && total(size)(body),
      handwritten: true,
    },
    { name: 'the same, asked by htmx', request: () => ({ path: '/dealers', headers: { 'hx-request': 'true' } }), isCorrect: shows(first) },
    { name: 'page 1,000', request: get('/dealers?page=1000'), isCorrect: shows(atPage1000) },
    { name: 'last page', request: get(`/dealers?page=${Math.ceil(size / 25)}`), isCorrect: shows(last) },
    {
      name: 'sorted by company',
      request: get('/dealers?sort=company'),
      isCorrect: (body) => body.includes('aria-sort="ascending"') && total(size)(body),
    },
    ...Object.entries(terms).map(([name, term]) => search(name, term)),
    { name: 'toggle', request: toggle, isCorrect: (body) => body.includes('role="switch"'), handwritten: true },
    { name: 'edit card', request: get(`/dealers/edit/${first}`), isCorrect: (body) => body.includes('name="lastname"') },
    { name: 'list of orders', request: get('/orders'), isCorrect: (body) => body.includes(`<tr id="orders-${size}"`) },
    { name: 'order card', request: get(`/orders/edit/${size}`), isCorrect: (body) => body.includes('name="receiver"') },
    {
      name: 'transition',
      request: transition,
      isCorrect: (body) => !body.includes('role="alert"'),
      amount: Math.min(100, Math.floor(facts.fresh.length / 8)),
    },
  ]
}
