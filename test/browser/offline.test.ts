import { eq } from 'drizzle-orm'
import { companies, users } from '../../src/database/schema/index.ts'
import { browserTest, type OpenCabinet, type Page, violations, waitUntil } from '../support/browser.ts'
import { isSwitched, pressDelete, refusesToLeave } from '../support/dealers-list.ts'

const notSent = (page: Page) => page.getByRole('alert').filter({ hasText: 'Not sent' })

const failures = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION_REFUSED|^50[23] |htmx:sse|htmx:error|Failed to fetch|NetworkError/

function dealer({ db, cast }: OpenCabinet) {
  return db.select().from(users).where(eq(users.id, cast.denis)).get()
}

const breakdowns: Record<string, (page: Page) => Promise<() => Promise<unknown>>> = {
  'without a connection': async (page) => {
    await page.context().setOffline(true)
    return () => page.context().setOffline(false)
  },
  'while the service is down': async (page) => {
    await page.route('**/*', (route) => route.abort('connectionrefused'))
    return () => page.unrouteAll()
  },
  'while a proxy finds no service': async (page) => {
    await page.route('**/*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
    return () => page.unrouteAll()
  },
}

for (const [circumstance, breakDown] of Object.entries(breakdowns))
  browserTest(`a card saved ${circumstance} stays with all that was typed, and is saved later`, async (t, cabinet) => {
    cabinet.provoked.push(failures)
    const page = await cabinet.pageOf('root')
    await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
    const address = page.url()
    await page.locator('input[name=middlename]').fill('Typed on a train')
    const recover = await breakDown(page)
    for (const attempt of ['first', 'second']) {
      await page.locator('.save-bar .btn-primary').click()
      await notSent(page).waitFor()
      t.equal(page.url(), address, `${attempt} attempt: the page stays`)
      t.equal(await page.locator('input[name=middlename]').inputValue(), 'Typed on a train')
      await refusesToLeave(t, page)
    }
    t.same(await violations(page), [], 'is accessible')
    await recover()
    t.not(dealer(cabinet)?.middlename, 'Typed on a train')
    await page.locator('.save-bar .btn-primary').click()
    await page
      .getByRole('status')
      .filter({ hasText: / saved/ })
      .waitFor()
    t.equal(await notSent(page).count(), 0)
    t.equal(dealer(cabinet)?.middlename, 'Typed on a train')
  })

browserTest('a card is sent once, however often its button is clicked while the connection is tried', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  const releases: (() => void)[] = []
  const posts: string[] = []
  await page.route('**/*', async (route) => {
    const method = route.request().method()
    if (method === 'POST') posts.push(route.request().url())
    if (method === 'HEAD') await new Promise<void>((resolve) => releases.push(resolve))
    await route.continue()
  })
  await page.locator('input[name=middlename]').fill('Clicked twice')
  const button = page.locator('.save-bar .btn-primary')
  await button.click()
  t.ok(await waitUntil(async () => releases.length === 1), 'the connection is tried')
  await button.click()
  await page.waitForTimeout(200)
  t.equal(releases.length, 1, 'once')
  for (const release of releases) release()
  await page
    .getByRole('status')
    .filter({ hasText: / saved/ })
    .waitFor()
  t.equal(posts.length, 1)
  t.equal(dealer(cabinet)?.middlename, 'Clicked twice')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('a form that has gone while the connection was tried is not called unsent', async (t, cabinet) => {
  cabinet.provoked.push(failures)
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  let fail = () => {}
  const tried = new Promise<void>((resolve) => {
    page.route('**/*', async (route) => {
      if (route.request().method() !== 'HEAD') return route.continue()
      resolve()
      await new Promise<void>((done) => {
        fail = done
      })
      await route.abort('connectionrefused')
    })
  })
  await page.locator('input[name=middlename]').fill('Typed')
  await page.locator('.save-bar .btn-primary').click()
  await tried
  await page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name: 'History' }).click()
  await page.locator('.card-header-tabs [aria-current]', { hasText: 'History' }).waitFor()
  const failed = page.waitForEvent('requestfailed')
  fail()
  await failed
  await page.waitForTimeout(200)
  t.equal(await notSent(page).count(), 0)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('a chosen file is still chosen after a form could not be sent', async (t, cabinet) => {
  const { cast, db } = cabinet
  cabinet.provoked.push(failures)
  const page = await cabinet.pageOf('maria')
  await page.goto(`/company/edit/${cast.companies.alpha}?tab=files`)
  await page.locator('[data-row-add]').last().click()
  await page.locator('input[name="files[0][name]"]').fill('Contract')
  await page.locator('input[name="files[0][file]"]').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('text') })
  await page.context().setOffline(true)
  await page.locator('.save-bar .btn-primary').click()
  await notSent(page).waitFor()
  await page.context().setOffline(false)
  await page.locator('.save-bar .btn-primary').click()
  await page
    .getByRole('status')
    .filter({ hasText: / saved/ })
    .waitFor()
  const company = db.select().from(companies).where(eq(companies.id, cast.companies.alpha)).get()
  t.match(company?.files, [{ name: 'Contract' }])
})

browserTest('a switch and a dialog say that nothing was sent, and work once there is a connection again', async (t, cabinet) => {
  cabinet.provoked.push(failures)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=denis')
  const turn = page.locator(`#dealers-${cabinet.cast.denis}`).getByRole('switch')
  await page.context().setOffline(true)
  await page.getByRole('searchbox').fill('deni')
  const alert = page.getByRole('alert')
  await alert.filter({ hasText: 'Nothing was changed' }).waitFor()
  t.equal(await alert.count(), 1, 'a search sends nothing, and loses nothing')
  await turn.click()
  await notSent(page).waitFor()
  t.equal(await turn.getAttribute('aria-checked'), 'true', 'as it was')
  await page.context().setOffline(false)
  await turn.click()
  t.ok(await isSwitched(turn, false), 'switched off')

  await page.locator(`#dealers-${cabinet.cast.denis}`).getByRole('checkbox').check()
  await pressDelete(page)
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await page.context().setOffline(true)
  const isInSight = () =>
    page.locator('#no-connection').evaluate((note) => note.matches(':popover-open') && note.getBoundingClientRect().top < 100)
  t.ok(await waitUntil(isInSight), 'that there is no connection is said above the dialog, away from its buttons')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Not sent' }).waitFor()
  const again = page.waitForEvent('requestfailed')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await again
  await page.waitForTimeout(100)
  t.equal(await dialog.getByRole('alert').count(), 1, 'it is said once, however often it is tried')
  await page.context().setOffline(false)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.locator('#dealers-table[data-total="0"]').waitFor()
  t.equal(dealer(cabinet), undefined)
})

browserTest('a form sent without a connection says so in Russian too', async (t, cabinet) => {
  cabinet.provoked.push(failures)
  const page = await cabinet.newPage({ locale: 'ru-RU' })
  await page.goto('/login')
  await page.locator('input[name=email]').fill('somebody@example.com')
  await page.locator('input[name=password]').fill('a password')
  await page.context().setOffline(true)
  await page.locator('form .btn-primary').click()
  await page.getByRole('alert').filter({ hasText: 'Не отправлено' }).waitFor()
  t.equal(await page.locator('input[name=email]').inputValue(), 'somebody@example.com')
})

const note = (page: Page) => page.getByRole('status').filter({ hasText: 'No connection' })

browserTest('whoever types without a connection is told that it stays, until the connection is back', async (t, cabinet) => {
  cabinet.provoked.push(failures)
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  t.notOk(await note(page).isVisible())
  await page.context().setOffline(true)
  await note(page).waitFor()
  const promise = page.getByText('What you type stays here.')
  t.notOk(await promise.isVisible(), 'nothing is typed')
  await page.locator('input[name=middlename]').fill('Typed on a train')
  t.ok(await promise.isVisible())
  t.same(await violations(page), [], 'is accessible')
  await page.context().setOffline(false)
  await note(page).waitFor({ state: 'hidden' })
  t.equal(await page.locator('input[name=middlename]').inputValue(), 'Typed on a train')
})

browserTest('what could not be sent is said once, and offered again when the connection is back', async (t, cabinet) => {
  cabinet.provoked.push(failures)
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  await page.locator('input[name=middlename]').fill('Typed on a train')
  await page.context().setOffline(true)
  await note(page).waitFor()
  await page.locator('.save-bar .btn-primary').click()
  await notSent(page).waitFor()
  t.notOk(await note(page).isVisible())
  await page.context().setOffline(false)
  const restored = page.getByRole('alert').filter({ hasText: 'Connection restored' })
  await restored.waitFor()
  t.equal(await page.getByRole('alert').count(), 1)
  t.same(await violations(page), [], 'is accessible')
  await restored.getByRole('button', { name: 'Try again' }).click()
  await page
    .getByRole('status')
    .filter({ hasText: / saved/ })
    .waitFor()
  t.equal(dealer(cabinet)?.middlename, 'Typed on a train')
})

browserTest('a search without a connection finds once the service is back, of which no event tells', async (t, cabinet) => {
  cabinet.provoked.push(failures)
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  await page.route('**/*', (route) => route.abort('connectionrefused'))
  await page.getByRole('searchbox').fill('nobody is called so')
  const alert = page.getByRole('alert')
  await alert.filter({ hasText: 'Nothing was changed' }).waitFor()
  await page.unrouteAll()
  await alert.filter({ hasText: 'Connection restored' }).getByRole('button', { name: 'Try again' }).click()
  await page.locator('#dealers-table[data-total="0"]').waitFor()
  t.equal(await alert.count(), 0)
})
