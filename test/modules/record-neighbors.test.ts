import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { insertCompany } from '../support/companies.ts'
import { parseHtml } from '../support/html.ts'

t.test('a company leads to the ones before and after it in the list that its reader came from', async (t) => {
  const cabinet = await startCabinet(t)
  const { as, cast } = cabinet
  const add = (org: string, manager_id: number) => insertCompany(cabinet, { org, manager_id })
  const first = add('Roof one', cast.maria)
  const foreign = add('Roof three', cast.mikhail)
  const middle = add('Roof two', cast.maria)
  const last = add('Roof zero', cast.maria)
  const maria = await as('maria')
  const list = '?q=roof&sort=org&dir=asc'
  const page = (id: number) => `/company/edit/${id}?${new URLSearchParams({ tab: 'overview', back: list })}`
  const ways = async (address: string) => {
    const page = parseHtml((await maria.get(address)).body)
    return [page('.page-header [rel="prev"]').attr('href'), page('.page-header [rel="next"]').attr('href')]
  }
  const row = parseHtml((await maria.get(`/companies${list}`)).body)(`#companies-${middle} .row-link`)
  t.equal(row.attr('href'), page(middle), 'a row says where one comes from')
  t.same(await ways(page(first)), [undefined, page(middle)], `not ${foreign}, a company of somebody else`)
  t.same(await ways(page(middle)), [page(first), page(last)])
  t.same(await ways(page(last)), [page(middle), undefined])
  t.same(await ways(page(middle).replace('tab=overview', 'tab=dealers')), [page(first), page(last)], 'from each of its tabs')
  t.same(await ways(`/company/edit/${middle}?tab=overview`), [undefined, undefined], 'where nobody came from a list')
  t.same(await ways(`/company/edit/${middle}?tab=overview&back=elsewhere`), [undefined, undefined])
})
