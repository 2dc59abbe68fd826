import type { Element } from 'domhandler'
import t from 'tap'
import type { Answer, Browser } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { pagesOf } from '../support/every-page.ts'
import { parseHtml } from '../support/html.ts'
import { startMarked } from '../support/marked.ts'
import { content, recordedOutlines, startFilledNow } from '../support/outlines.ts'

type Test = Pick<typeof t, 'same'>

/** Pages that are like others in all they tell, and one that tells of the machine. */
const alike =
  /^\/(orders\/(work-sheets\?.*|1\/(work-)?sheet)$|manufactures|dealers\/edit\/9)\b|^\/(managers|productions|dealers)\/edit\/\d+\?tab=(access|rights|history|invitation|security|sessions|orders)|^\/(activity|dealers|companies)\?|tab=environment/

/** Looks at the tabs of cards, too; a file for each subject, or for somebody else than the superadministrator. */
async function look(test: Test, name: Name, browser: Browser, addresses: string[]): Promise<void> {
  const subjects = new Map<string, ReturnType<typeof recordedOutlines>>()
  for (const address of addresses) {
    const answer = await browser.get(address)
    if (answer.statusCode !== 200) continue
    const subject = `pages/${name === 'root' ? subjectOf(address) : name}`
    const outlines = subjects.get(subject) ?? recordedOutlines(subject)
    subjects.set(subject, outlines)
    outlines.shows(test, address, answer.body, content, address)
    addresses.push(...tabsIn(answer).filter((tab) => !addresses.includes(tab) && !alike.test(tab)))
  }
  for (const outlines of subjects.values()) outlines.end(test)
}

const subjectOf = (address: string) => /^\/(\w*)/.exec(address)?.[1] || 'home'

function tabsIn({ body }: Answer): string[] {
  const tabs = parseHtml(body)<Element, string>(':is(.card-header-tabs, .record-tabs, .record-menu) a[href*="tab="]')
  return tabs.toArray().map(({ attribs }) => attribs.href as string)
}

t.test('every page tells a superadministrator what is written down: words, links, fields and states', async (t) => {
  const cabinet = await startFilledNow(t)
  const pages = pagesOf(cabinet).filter((address) => !alike.test(address))
  await look(t, 'root', await cabinet.as('root'), [...new Set(pages)])
})

t.test('others see of the same pages what is written down', async (t) => {
  const cabinet = await startFilledNow(t)
  pagesOf(cabinet)
  const { order, companies } = cabinet.cast
  const shared = ['/', '/orders', `/orders/${order}`, '/orders/board', '/news', '/notifications', '/find?q=alp']
  const own = {
    denis: ['/orders/add', '/products', '/profile'],
    pavel: ['/profile'],
    maria: ['/companies', `/company/edit/${companies.alpha}?tab=overview`],
  }
  for (const [name, further] of Object.entries(own) as [Name, string[]][])
    await look(t, name, await cabinet.as(name), [...shared, ...further])
})

t.test(
  'orders with steps, messages and files tell their dealer, manager, producer and a superadministrator what is written down',
  async (t) => {
    const cabinet = await startMarked(t)
    const [first, awaiting, made] = cabinet.orderIds
    const looked: [Name, string[]][] = [
      ['root', [`/orders/${made}`, `/orders/${first}`, '/orders', '/orders/board', '/rights/requests', '/outbox']],
      ['denis', [`/orders/${made}`, `/orders/${first}`, '/orders', '/notifications/latest', '/find?q=zq']],
      ['maria', [`/orders/${made}`, `/orders/${first}`, '/orders', `/orders/transitions?id=${first}&id=${awaiting}`]],
      ['pavel', [`/orders/${made}`, '/orders', `/orders/${made}/work-sheet`]],
    ]
    const { shows, end } = recordedOutlines('orders-in-progress')
    for (const [name, addresses] of looked)
      for (const address of addresses) {
        const { body } = await cabinet.browserOf(name).get(address)
        shows(t, `${name}: ${address}`, body, body.includes('id="main"') ? content : ':root', `in progress ${address}`)
      }
    end(t)
  },
)
