import t from 'tap'
import type { Name } from '../support/cast.ts'
import { pagesOf } from '../support/every-page.ts'
import { startMarked } from '../support/marked.ts'
import { outlineOf, type Part } from '../support/outline.ts'
import { fillLines } from '../support/outline-lines.ts'
import { recordedOutlines, startFilledNow } from '../support/outlines.ts'

const inRussian = { 'accept-language': 'ru' }
/** It tells of the machine. */
const environment = 'tab=environment'
const met = new Set<string>()

t.test('in Russian every page says what is written down, where it is said first', async (t) => {
  const cabinet = await startFilledNow(t)
  const said = sayings('russian')
  const pages = pagesOf(cabinet).filter((address) => !address.includes(environment))
  for (const name of ['root', 'maria', 'denis', 'pavel'] as const) {
    const browser = await cabinet.as(name)
    for (const address of new Set(pages)) said.compare(t, name, address, (await browser.get(address, inRussian)).body)
  }
  said.end(t)
})

t.test('in Russian orders with steps, messages and files say what is written down', async (t) => {
  const cabinet = await startMarked(t)
  const said = sayings('russian-orders')
  for (const name of ['root', 'maria', 'denis', 'pavel'] as const)
    for (const id of cabinet.orderIds.slice(0, 9)) {
      const address = `/orders/${id}`
      said.compare(t, name, address, (await cabinet.browserOf(name).get(address, inRussian)).body)
    }
  said.end(t)
})

/** Russian texts, each where it is met first. */
function sayings(subject: string) {
  const { compare, end } = recordedOutlines(subject)
  return {
    end,
    compare(test: Pick<typeof t, 'same'>, name: Name, address: string, html: string): void {
      const texts = saidIn(outlineOf(html, 'title, body'))
      const fresh = texts.filter((text, at) => /[а-яё]/i.test(text) && !met.has(text) && texts.indexOf(text) === at)
      for (const text of fresh) met.add(text)
      if (fresh.length > 0) compare(test, `${name} ${address}`, fillLines(fresh))
    },
  }
}

const saidIn = (parts: Part[]): string[] => parts.flatMap(({ said, within }) => [...said, ...saidIn(within)])
