import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import type { Name } from '../support/cast.ts'
import { parseHtml } from '../support/html.ts'

t.test('imports and exports are found by what people call them, by those who may make them', async (t) => {
  const { as } = await startCabinet(t)
  const found = async (name: Name, q: string, language = 'en') => {
    const $ = parseHtml((await (await as(name)).get(`/find?q=${encodeURIComponent(q)}`, { 'accept-language': language })).body)
    const addresses = $('#found a')
      .toArray()
      .map((link) => String($(link).attr('href')))
    return addresses.filter((address) => /\/(import|export\?.*)$/.test(address))
  }
  const [imports, exports] = [['/companies/import'], ['/companies/export?format=xlsx']]
  t.same(await found('root', 'import companies'), imports)
  t.same(await found('root', 'импорт компаний', 'ru'), imports)
  t.same(await found('root', 'загрузить компании', 'ru'), imports)
  t.same(await found('root', 'export companies'), exports)
  t.same(await found('root', 'выгрузить компании', 'ru'), exports)
  t.same(await found('root', 'companies excel'), [...imports, ...exports])
  t.same(await found('root', 'companies'), [], 'the list alone asks for neither')
  t.same(await found('maria', 'import products'), [], 'who may add none')
  t.same(await found('denis', 'export companies'), [], 'who may see none')
  for (const name of ['root', 'admin'] as const) t.same(await found(name, 'import statement'), ['/payments/import'], name)
  for (const q of ['загрузить выписку', 'выписка', 'импорт оплат', 'банк']) t.same(await found('root', q, 'ru'), ['/payments/import'], q)
  t.same(await found('denis', 'import statement'), [], 'who may enter none')
  t.same(await found('denis', 'export orders'), ['/orders/export?format=xlsx'])
  for (const address of [...imports, ...exports]) t.equal((await (await as('root')).get(address)).statusCode, 200, address)
})
