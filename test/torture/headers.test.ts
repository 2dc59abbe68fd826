import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { formsOf, realPaths } from './collect-forms.ts'

const malformed: Record<string, string[]> = {
  referer: ['http://', 'http://[', '//', 'x'.repeat(3000)],
  origin: ['http://', 'http://[', 'null', 'x'],
  'accept-language': [';;;q=', '\u00ff', 'x'.repeat(3000)],
  'user-agent': ['', '\u00ff', 'x'.repeat(3000)],
  'content-type': ['', ';', 'multipart/form-data', 'application/x-www-form-urlencoded; charset=nothing', 'x/y/z'],
  'hx-target': ['#', '\u00ff', '__proto__'],
  'hx-current-url': ['http://', '//'],
  'hx-request': ['true', 'maybe'],
  'hx-request-type': ['', 'both'],
}

t.test('no header of a POST causes a server error', async (t) => {
  const cabinet = await startCabinet(t)
  const { app, as, db } = cabinet
  const root = await as('root')
  const forms = await formsOf(cabinet, root)
  const failed: string[] = []
  for (const route of app.routeTable.filter(({ method }) => method === 'POST')) {
    const path = realPaths(cabinet, route)[0]
    if (!path) continue
    const fields = forms.get(path) ?? [['value', '0']]
    const body = new URLSearchParams(fields).toString()
    for (const [name, values] of Object.entries(malformed))
      for (const value of values) {
        const cookies = [...root.cookies]
        db.$client.exec('begin immediate')
        const headers = { 'content-type': 'application/x-www-form-urlencoded', [name]: value }
        const { statusCode } = await root.send('POST', path, headers, body)
        db.$client.exec('rollback')
        root.cookies.clear()
        for (const [cookie, kept] of cookies) root.cookies.set(cookie, kept)
        if (statusCode >= 500) failed.push(`${path} ${name}: ${value.slice(0, 40)} (${statusCode})`)
      }
  }
  t.same(failed, [])
})
