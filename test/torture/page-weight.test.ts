import t from 'tap'
import { admin, cabinet, checkFirst, checkLater, dealer, listen } from '../support/page-weight.ts'

/** Ordinary pages; the editor of news is none: it is a word processor of half a megabyte, loaded where somebody writes. */
const addresses = [
  '/',
  '/dealers',
  '/dealers/edit/40',
  '/companies',
  '/company/edit/1',
  '/orders',
  '/orders/edit/20',
  '/statuses',
  '/status/edit/2?tab=transitions',
  '/news',
  '/notifications',
]
const more = ['/dealers?size=50', '/dealers/add', '/managers', '/admins/edit/1?tab=rights', '/orders/add', '/activity', '/profile']
const article = '/news/edit/1'

t.test('a first visit to any ordinary page stays under its size limit, and nothing on the page shifts', async (t) => {
  await checkFirst(t, await cabinet.newPage(), '/login')
  for (const address of addresses) await checkFirst(t, await cabinet.pageOf(admin), address)
  await checkFirst(t, await cabinet.pageOf(dealer), article)
})

t.test('later visits to any ordinary page stay under a smaller limit, and no file is loaded twice', async (t) => {
  await checkLater(t, admin, [...addresses, ...more])
  await checkLater(t, dealer, [article])
})

/** The line of the bell and the icon of the tab come with the page, whenever they do, and not with a click. */
const ofThePage = /\/notifications\/stream$|\/favicon\.svg$/

t.test('a click in a table loads one response', async (t) => {
  const page = await cabinet.pageOf(admin)
  const measure = await listen(page)
  await measure(() => page.goto('/dealers'))
  const region = page.locator('#dealers-table')
  const check = async (what: string, act: () => Promise<unknown>, shown: string) => {
    const { came } = await measure(async () => {
      await act()
      await region.locator(shown).first().waitFor()
      await page.waitForTimeout(250)
    })
    t.same(
      came.map(({ address }) => address).filter((address) => !ofThePage.test(address)),
      ['/dealers'],
      `${what}: one answer, and it is shown`,
    )
  }
  await check('sorting', () => region.locator('th').getByRole('link', { name: 'Company' }).click(), 'th[aria-sort=ascending]')
  await check('the next page', () => region.getByRole('link', { name: 'Next page' }).click(), 'a[aria-current=page]:text("2")')
  await check('a search', () => page.locator('#dealers-q').fill('dealer@'), '.tag')
})

t.test('no page has logged an error', async (t) => t.same(cabinet.complaints, []))
