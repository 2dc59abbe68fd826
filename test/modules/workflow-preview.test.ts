import t from 'tap'
import { type Fields, startCabinet } from '../support/cabinet.ts'
import { elementById, elementsOf, parseHtml, textOf } from '../support/html.ts'
import { insertOrder } from '../support/orders.ts'

t.test(
  'a preview says what a transition would no longer require, which orders are left to administrators, and which problems are new',
  async (t) => {
    const cabinet = await startCabinet(t)
    const { as, db, cast } = cabinet
    const root = await as('root')
    for (let number = 0; number < 3; number++) insertOrder(cabinet, 'apply', { dealer_id: cast.denis })
    const kept = {
      'transitions[0][id]': 2,
      'transitions[0][required_fields]': '',
      'transitions[0][min_paid]': '40',
      'transitions[0][within_limit]': 1,
    }
    const preview = async (sent: Fields) => {
      const answer = await root.post('/status/edit/apply?tab=transitions', { _preview: 1, transitions: '', ...sent })
      const shown = elementById(answer, 'preview') as string
      const of = (selector: string) => elementsOf(shown, selector).map(textOf)
      return { access: of('dt, dd'), words: of('p').slice(of('dd p').length, -1), issues: of('li') }
    }
    t.same(await preview({ ...kept, 'transitions[1][id]': 11 }), {
      access: [],
      words: [
        'No change in access.',
        'Awaiting signing → Awaiting payment would also require 40% paid, within the credit limit.',
        'Awaiting signing → Awaiting payment would no longer require Specification, Invoice, Prices of all lines.',
      ],
      issues: [],
    })
    t.same(await preview({ 'transitions[0][id]': 2, 'transitions[0][manager_can]': 0 }), {
      access: [
        "Company's manager",
        'Loses: Awaiting signing → Awaiting payment; Awaiting signing → Canceled',
        'Administrators',
        'Loses: Awaiting signing → Canceled',
      ],
      words: [
        "Expected to act in Awaiting signing: nobody; until now: the company's manager. Orders: 3",
        'Only administrators could move 3 orders in Awaiting signing.',
      ],
      issues: [],
    })
    const { words } = await preview({ ...kept, 'transitions[1][id]': 11, expected: 'production' })
    t.match(words.at(-1), "Expected to act in Awaiting signing: the order's production team; until now: the company's manager. Orders: 3")
    t.match(words[1], 'would also require 40% paid', 'beside the transitions')
    db.$client.exec('update users set active = 0 where group_id = 3')
    t.same((await preview({ ...kept, 'transitions[0][production_can]': 1 })).issues, [], 'what was wrong before is not new')
  },
)

t.test('previewing policies leads back to the list that one came from', async (t) => {
  const { as } = await startCabinet(t)
  const root = await as('root')
  const tab = '/status/edit/apply?tab=policies'
  const kept = async (address: string) => {
    const form = parseHtml((await root.get(address)).body)('#policy-preview')
    return Object.fromEntries(
      form
        .find('input[type=hidden]')
        .toArray()
        .map(({ attribs }) => [attribs.name, attribs.value]),
    )
  }
  t.same(await kept(tab), { tab: 'policies' })
  for (const more of ['', '&_preview=1']) t.same(await kept(`${tab}&back=%3Fq%3Dawaiting${more}`), { tab: 'policies', back: '?q=awaiting' })
})
