import type { Person } from '../../src/http/request/person.ts'
import type { RouteEntry } from '../../src/http/request/route-policy.ts'
import type { Browser, Cabinet } from '../support/cabinet.ts'
import { attributesOf, controlsOf, elementsOf } from '../support/html.ts'

export type FormFields = [name: string, value: string][]

/** Paths of a route that name something real: its records, and keys that pages speak of. */
export function realPaths({ db, app }: Cabinet, route: RouteEntry, person?: Person): string[] {
  if (!/[:*]/.test(route.url)) return [route.url]
  const policies = ['news_can_add', 'order_dealer_can_edit']
  const keys = [...policies, ...(db.$client.prepare('select key from uploads').pluck().all() as string[])]
  const path = route.url.replace(/:policy_key|:status_policy_key/, route.url.includes('status') ? 'order_dealer_can_edit' : 'news_can_add')
  const named = /:key|:token|:name|\*/.test(path) ? keys.map((key) => path.replace(/:key|:token|:name|\*/, key)) : [path]
  const ids = Array.from({ length: 15 }, (_, index) => String(index + 1)).filter(
    (id) => !route.record || route.record(app.db, Number(id), person as Person),
  )
  return named
    .flatMap((one) => (one.includes(':id') ? ids.slice(0, 4).map((id) => one.replace(':id', id)) : [one]))
    .map((one) => one.replace(':order', '1').replace(/:\w+/g, '96'))
}

/** The fields of every form that this person's pages hold, by the path they are sent to. */
export async function formsOf(cabinet: Cabinet, browser: Browser): Promise<Map<string, FormFields>> {
  const forms = new Map<string, FormFields>()
  const pages = cabinet.app.routeTable.filter(({ method, answers, access }) => method === 'GET' && !answers && access !== 'public')
  for (const route of pages)
    for (const path of realPaths(cabinet, route).slice(0, 2)) {
      const { body, statusCode } = await browser.get(path)
      if (statusCode === 200) for (const [action, fields] of formsIn(body, path)) forms.set(action, fields)
    }
  return forms
}

function formsIn(html: string, path: string): [string, FormFields][] {
  return elementsOf(html, 'form').map((form) => {
    const { action = path } = attributesOf(form)
    const fields = controlsOf(form).map(({ name, value, options }) => [name, value || options.at(-1)?.value || ''] as [string, string])
    return [action.split('?')[0] as string, fields]
  })
}
