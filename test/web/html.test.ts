import type { Element } from 'domhandler'
import { HtmlValidate } from 'html-validate'
import t from 'tap'
import { loadSample } from '../../src/database/sample/load.ts'
import { hashPassword } from '../../src/http/access/password-hashing.ts'
import { startCabinet } from '../support/cabinet.ts'
import { type Name, password } from '../support/cast.ts'
import { addressesOf, ask } from '../support/every-route.ts'
import { isDocument, parseHtml } from '../support/html.ts'

const validator = new HtmlValidate({ root: true, extends: ['html-validate:standard'] })

/** A moment, day, month or year as browsers and search engines read it. */
const machineReadable = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

t.test('the HTML of every page is valid', async (t) => {
  const cabinet = await startCabinet(t, { empty: true })
  loadSample(cabinet.db, await hashPassword(password))
  const admin = await cabinet.as('admin' as Name)
  const pages = cabinet.app.routeTable.filter(({ method, answers }) => method === 'GET' && !answers)
  let seen = 0
  for (const route of pages)
    for (const { path } of addressesOf(cabinet, route).slice(0, 2)) {
      const answer = await ask(cabinet, admin, route, path)
      if (!isDocument(answer)) continue
      seen++
      t.same(problemsOf(answer.body), [], path)
    }
  t.ok(seen > 60, `${seen} pages`)
})

function problemsOf(html: string): string[] {
  const { results } = validator.validateStringSync(html)
  const found = results.flatMap(({ messages }) => messages.map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`))
  return [...new Set([...found, ...notSeenByValidator(html)])]
}

function notSeenByValidator(html: string): string[] {
  const $ = parseHtml(html)
  const of = (selector: string) => $<Element, string>(selector).toArray()
  const times = of('time').filter((time) => !machineReadable.test(time.attribs.datetime ?? $(time).text()))
  return [
    ...times.map((time) => `a time that no program reads: ${$.html(time)}`),
    ...of('h1, h2, h3, title')
      .filter((heading) => /^[^.]*\.(?: · .*)?$/.test($(heading).text().trim()))
      .map((heading) => `a heading with a period: ${$.html(heading)}`),
    ...of('[min=""], [max=""], [step=""]').map((input) => `an empty bound: ${$.html(input)}`),
  ]
}
