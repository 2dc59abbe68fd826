import t from 'tap'
import { admin, cabinet, checkFirst, checkLater, dealer } from '../support/page-weight.ts'

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
  for (const address of addresses) await checkFirst(t, await cabinet.pageOf(admin), address)
  await checkFirst(t, await cabinet.pageOf(dealer), article)
})

t.test('later visits to any ordinary page stay under a smaller limit, and no file is loaded twice', async (t) => {
  await checkLater(t, admin, [...addresses, ...more])
  await checkLater(t, dealer, [article])
})

t.test('no page has logged an error', async (t) => t.same(cabinet.complaints, []))
