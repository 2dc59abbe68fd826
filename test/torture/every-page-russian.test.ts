import { missingTexts } from '../../src/i18n/translate.ts'
import { browserTest, type OpenCabinet, type Test } from '../support/browser.ts'
import { addressOf } from '../support/every-page.ts'
import { checkEveryPage } from '../support/looks.ts'

browserTest('every page in Russian is complete, fits and has readable colors, wide and narrow', async (t, cabinet) => {
  missingTexts.clear()
  await checkEveryPage(t, cabinet, 'ru-RU')
  await submitEmptyForms(t, cabinet)
  t.same([...missingTexts], [], 'no Russian text is missing')
})

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
