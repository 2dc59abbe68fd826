import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'

t.test('forms outside of cards begin with the keyboard in their first field', async (t) => {
  const { as, newBrowser, cast } = await startCabinet(t)
  const focused = async (path: string, browser = newBrowser()) => parseHtml((await browser.get(path)).body)('[autofocus]').attr('id')
  t.equal(await focused('/payments/add', await as('denis')), 'amount', 'whose company is known')
  t.equal(await focused('/payments/add', await as('root')), 'company_id')
  const card = await (await as('root')).post(`/dealers/edit/${cast.denis}/invitation`)
  const link = /\/invitation\/[\w-]{43}/.exec((await (await as('root')).get(String(card.headers.location))).body)?.[0]
  t.equal(await focused(String(link)), 'password')
})

t.test('so do the form that sets up the cabinet, and a forgotten password', async (t) => {
  const environment = { SMTP_URL: 'smtp://localhost:1', MAIL_FROM: 'cabinet@example.com' }
  const { newBrowser } = await startCabinet(t, { empty: true, setupToken: 'first', environment })
  const focused = async (path: string) => parseHtml((await newBrowser().get(path)).body)('[autofocus]').attr('id')
  t.equal(await focused('/setup/first'), 'organization')
  t.equal(await focused('/password/forgot'), 'email')
})
