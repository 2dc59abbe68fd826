import type { Element } from 'domhandler'
import { eq } from 'drizzle-orm'
import t from 'tap'
import { categoryCompany, trash } from '../../src/database/schema/index.ts'
import { startCabinet } from '../support/cabinet.ts'
import { companyOf, discountsOf } from '../support/companies.ts'
import { elementsOf, fieldOf, hiddenOf, parseHtml, textOf, textsByRole } from '../support/html.ts'

async function start(test: Parameters<typeof startCabinet>[0]) {
  const cabinet = await startCabinet(test)
  const { beta } = cabinet.cast.companies
  const path = `/company/edit/${beta}`
  const [root, mikhail] = [await cabinet.as('root'), await cabinet.as('mikhail')]
  await root.post(path, { bik: '1', bank: 'Bank', kpp: 'K' })
  const version = hiddenOf(await root.get(path), 'version')[0] as string
  return { ...cabinet, beta, path, root, mikhail, version }
}

t.test('what others changed twice since a form was opened is compared with what the form was opened with', async (t) => {
  const cabinet = await start(t)
  const { beta, path, root, mikhail, version } = cabinet
  for (const bik of ['2', '3']) await mikhail.post(path, { bik })
  const merged = await root.post(path, { bik: '1', bank: 'Mine', version })
  t.equal(merged.statusCode, 303, 'nothing of it was changed here')
  t.match(companyOf(cabinet, beta), { bik: '3', bank: 'Mine' })
  t.same(textsByRole(await root.get(path), 'status').slice(0, 1), [
    'ООО «Бета Ёлка» saved. Someone else also updated: BIK. Both sets of changes were kept.',
  ])
  await mikhail.post(path, { bik: '1' })
  t.equal((await root.post(path, { bik: '4', version })).statusCode, 303, 'they have taken it back')
  t.match(companyOf(cabinet, beta), { bik: '4', bank: 'Mine' })
})

t.test('a version that the record never had is refused, and what was typed is shown again (422)', async (t) => {
  const cabinet = await start(t)
  const { beta, path, root, mikhail, version } = cabinet
  await mikhail.post(path, { bik: '2' })
  for (const never of ['-1', '0', 'x', '1.5', String(Number(version) + 2), '999999999']) {
    const refused = await root.post(path, { bik: '3', version: never })
    t.equal(refused.statusCode, 422, never)
    t.match(textOf(refused.body), 'There is no such version. Reload the page and try again.')
    t.equal(fieldOf(refused, 'bik')?.value, '3')
  }
  t.match(companyOf(cabinet, beta), { bik: '2' })
  const [newest] = hiddenOf(await root.get(path), 'version')
  t.equal((await root.post(path, { bik: '3', version: newest as string })).statusCode, 303, 'the newest one')
})

t.test('a conflict names whoever changed the field last, shows the form with what was typed and lets it be saved over', async (t) => {
  const cabinet = await start(t)
  const { db, cast, beta, path, root, mikhail, version, as } = cabinet
  await (await as('admin')).post(path, { bik: '2', kpp: 'THEIRS' })
  await mikhail.post(path, { bik: '3' })
  await root.post('/companies/delete', { id: beta })
  await root.post(`/bin/${db.select().from(trash).get()?.id}/restore`)
  t.equal(companyOf(cabinet, beta).manager_id, cast.mikhail, 'it came back')
  const clash = await root.post(path, { bik: '5', kpp: '', bank: 'New', version })
  t.equal(clash.statusCode, 409)
  const cells = elementsOf(clash.body, '.conflicts th, .conflicts td').map((cell) => textOf(cell).replace(/, \d.*$/, ''))
  const heads = ['Field', 'Your version', 'Saved version', 'Saved by']
  t.same(cells, [...heads, 'KPP', '—', 'THEIRS', 'Adminov Anton', 'BIK', '5', '3', 'Sidorov Mikhail'])
  t.same(elementsOf(clash.body, '.conflicts h2, .conflicts p').map(textOf), [
    'Someone else changed the same fields. Nothing has been saved yet.',
    'The form below has your version. Edit it and save again, or keep the saved version.',
    'Keep saved version',
  ])
  const page = parseHtml(clash.body)
  t.equal(page('.conflicts .btn').attr('href'), path)
  const links = page('.conflicts th a').toArray()
  t.same(
    links.map(({ attribs }) => attribs.href),
    ['#kpp', '#bik'],
  )
  t.same(
    page('[aria-invalid]')
      .toArray()
      .map(({ attribs }) => attribs.id)
      .sort(),
    ['bik', 'kpp'],
    'what differs is marked',
  )
  t.equal(page('#bik-error').text(), 'Someone else changed this field.')
  t.same(
    ['bik', 'kpp', 'bank', 'org'].map((name) => fieldOf(clash, name)?.value),
    ['5', '', 'New', 'ООО «Бета Ёлка»'],
  )
  t.match(companyOf(cabinet, beta), { bik: '3', kpp: 'THEIRS', bank: 'Bank' }, 'nothing is saved yet')
  const again = { bik: '5', kpp: '', bank: 'New', version: hiddenOf(clash, 'version')[0] as string }
  t.equal((await root.post(path, again)).statusCode, 303)
  t.match(companyOf(cabinet, beta), { bik: '5', kpp: null, bank: 'New' })
})

t.test('a line that was changed here and deleted by somebody else is offered again, as a new one', async (t) => {
  const cabinet = await start(t)
  const { db, cast, beta, path, root } = cabinet
  db.insert(categoryCompany).values({ company_id: beta, category_id: cast.category, discount: 5 }).run()
  const [line] = discountsOf(cabinet, beta)
  const version = hiddenOf(await root.get(path), 'version')[0] as string
  const lines = (discount: number) => ({
    discounts: '',
    'discounts[0][id]': line?.id as number,
    'discounts[0][category_id]': cast.category,
    'discounts[0][discount]': discount,
  })
  await (await cabinet.as('admin')).post(path, { discounts: '' })
  t.same(discountsOf(cabinet, beta), [])
  const clash = await root.post(path, { ...lines(7), version })
  t.equal(clash.statusCode, 409)
  t.match(textOf(elementsOf(clash.body, '.conflicts tbody tr').join()), /^Category discounts Windows: 7 — Adminov Anton/)
  const shown = parseHtml(clash.body)<Element, string>('[name^="discounts["]').toArray()
  t.same(
    shown.map(({ attribs }) => [attribs.name, attribs.value]),
    [
      ['discounts[0][category_id]', undefined],
      ['discounts[0][discount]', '7'],
    ],
  )
  const { 'discounts[0][id]': _, ...again } = lines(7)
  t.equal((await root.post(path, { ...again, version: hiddenOf(clash, 'version')[0] as string })).statusCode, 303)
  t.match(discountsOf(cabinet, beta), [{ category_id: cast.category, discount: 7 }])
  const lost = await root.post(path, lines(8))
  t.equal(lost.statusCode, 422, 'by its old id it is no line any more')
  t.match(textOf(lost.body), 'This line no longer exists.')
  t.equal(db.select().from(categoryCompany).where(eq(categoryCompany.company_id, beta)).get()?.discount, 7)
})
