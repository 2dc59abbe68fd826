import t from 'tap'
import { admin, cabinet, checkFirst, checkLater, dealer, listen } from '../support/page-weight.ts'

// The long runs open the other kinds of pages too.

t.test('a first visit stays under its size limit, and nothing on the page shifts', async (t) => {
  await checkFirst(t, await cabinet.newPage(), '/login')
  for (const address of ['/dealers', '/orders/edit/20']) await checkFirst(t, await cabinet.pageOf(admin), address)
})

t.test('later visits stay under a smaller limit, and no file is loaded twice', async (t) => {
  await checkLater(t, admin, ['/', '/dealers', '/dealers/edit/40', '/orders', '/orders/edit/20', '/status/edit/2?tab=transitions'])
  await checkLater(t, dealer, ['/news/edit/1'])
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
