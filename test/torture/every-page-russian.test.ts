import { missingTexts } from '../../src/i18n/translate.ts'
import { browserTest, type OpenCabinet, overflow, type Test, waitUntil } from '../support/browser.ts'
import { addressOf, visitEveryPage } from '../support/every-page.ts'
import { sightFaults } from '../support/sights.ts'

const widths = [1440, 1100, 768, 390]

browserTest(
  'every page in Russian is complete and fits: nothing is cut beside free space, broken, covered or English',
  async (t, cabinet) => {
    missingTexts.clear()
    await visitEveryPage(t, cabinet, { locale: 'ru-RU' }, async (page, address) => {
      t.equal(await page.locator('html').getAttribute('lang'), 'ru', `${address} speaks Russian`)
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 })
        t.ok(await waitUntil(async () => (await overflow(page)) === 0), `${address} does not scroll sideways at ${width} px`)
        t.same(await sightFaults(page), [], `${address} at ${width} px looks whole`)
      }
    })
    await submitEmptyForms(t, cabinet)
    t.same([...missingTexts], [], 'no Russian text is missing')
  },
)

/** Sends every form empty, for the texts that only answers have; what a body does not name stays as it is. */
async function submitEmptyForms(t: Test, { app, cast, as }: OpenCabinet): Promise<void> {
  const root = await as('root')
  const russian = { 'accept-language': 'ru' }
  const forms = app.routeTable.filter(
    ({ method, access, url }) => method === 'POST' && access !== 'public' && !url.startsWith('/impersonate/'),
  )
  for (const { url } of forms) {
    const address = addressOf(url, cast).split('?')[0] as string
    const answer = await root.post(address, {}, russian)
    t.ok(answer.statusCode < 500, `POST ${address} with nothing in it: ${answer.statusCode}`)
    await root.get('/', russian)
  }
}
