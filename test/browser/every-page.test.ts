import { browserTest, violations, waitUntil } from '../support/browser.ts'
import { pressDelete } from '../support/dealers-list.ts'
import { checkLooks, lookAsOthers, narrow, setTheme } from '../support/looks.ts'
import { dayIn, insertContractPrice, insertProduct, useCatalog } from '../support/products.ts'

/** What a manager, a dealer and production see most unlike an administrator; `npm run torture` looks at all pages and at more of theirs. */
const pagesOfRoles = { maria: ['/'], denis: ['/', '/orders/add', '/products'], pavel: ['/'] }

browserTest('what is read of a person and a product is accessible, and fits a window of 375 px', async (t, cabinet) => {
  const { cast, db } = cabinet
  useCatalog(db)
  const product = insertProduct(db, { article: 'W-1', name: 'Window', description: 'Two wings' }, [
    [dayIn(-30), 100_000],
    [dayIn(3), 120_000],
  ])
  insertContractPrice(db, cast.companies.alpha, product, 90_000)
  const [read, dealer, manager] = [`/products/edit/${product}?tab=overview`, `/dealers/edit/${cast.denis}`, `/managers/edit/${cast.maria}`]
  await lookAsOthers(t, cabinet, { root: [read, `${dealer}?tab=overview`, `${manager}?tab=overview`], denis: [read] })
  const page = await cabinet.pageOf('root')
  await page.goto(`${dealer}?tab=overview`)
  await setTheme(page, 'dark')
  t.same(await violations(page), [], 'in the dark, too')
})

browserTest('pages that others see otherwise are accessible to them, and fit a window of 375 px', async (t, cabinet) => {
  useCatalog(cabinet.db)
  await lookAsOthers(t, cabinet, pagesOfRoles)
})

browserTest('menus and dialogs are accessible, in dark mode and in a narrow window too', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers?q=denis')
  await page.locator('#dealers-columns > summary').click()
  await checkLooks(t, page, 'the open choice of columns')
  await page.goto('/dealers')
  await page.locator('header summary').click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await checkLooks(t, page, "the person's menu")
  await page.keyboard.press('Escape')
  await page.locator(`#dealers-${cabinet.cast.denis}`).getByRole('checkbox').check()
  await checkLooks(t, page, 'a list with a ticked row')
  await pressDelete(page)
  await page.getByRole('dialog').waitFor()
  await checkLooks(t, page, 'the deletion dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  // The menu that led there.
  await page.keyboard.press('Escape')
  await page.setViewportSize(narrow)
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('navigation', { name: 'Main menu' }).waitFor()
  t.same(await violations(page), [], 'the menu of a narrow window is accessible')
})

browserTest('messages and error pages are accessible', async (t, cabinet) => {
  cabinet.provoked.push(/^4\d\d \//)
  const page = await cabinet.pageOf('root')
  await page.goto(`/dealers/edit/${cabinet.cast.denis}`)
  await page.locator('input[name=lastname]').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#lastname-error').waitFor()
  await checkLooks(t, page, 'a card with an invalid field')
  t.equal((await page.goto('/no/such/page'))?.status(), 404)
  await checkLooks(t, page, 'a page that is not there')
  const stranger = await cabinet.pageOf('clerk')
  t.equal((await stranger.goto('/dealers'))?.status(), 403)
  await checkLooks(t, stranger, 'a refused page')
})

browserTest('the dashboards of an impersonated dealer and of a user without rights are accessible', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers?q=denis')
  await page.getByRole('link', { name: 'Sign in as: Denisov Denis' }).click()
  await page.locator('#impersonation').waitFor()
  await checkLooks(t, page, 'the dashboard of an impersonated dealer')
  const plain = await cabinet.pageOf('plain')
  await plain.goto('/')
  await checkLooks(t, plain, 'the dashboard of somebody without rights')
})

browserTest('the sign-in page is accessible and in the language of the browser', async (t, cabinet) => {
  cabinet.provoked.push(/^422 \/login/)
  const page = await cabinet.newPage()
  await page.goto('/login')
  await page.locator('input[name=email]').fill('nobody@example.com')
  await page.locator('input[name=password]').fill('no such password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  t.equal(await page.locator('input[name=email]').inputValue(), 'nobody@example.com', 'what was typed is kept')
  await checkLooks(t, page, 'a failed sign-in')
  const russian = await cabinet.newPage({ locale: 'ru-RU', colorScheme: 'dark' })
  await russian.goto('/login')
  t.equal(await russian.locator('html').getAttribute('lang'), 'ru')
  t.equal(await russian.locator('html').getAttribute('data-bs-theme'), 'dark', 'a dark browser gets dark pages')
  await russian.setViewportSize(narrow)
  const cut =
    'Array.from(document.querySelectorAll("button, .btn")).filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent)'
  t.same(await russian.evaluate(cut), [], 'the longest words fit their buttons on a phone')
})

browserTest('a user switches language and theme and stays on the same page', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  const html = page.locator('html')
  await page.goto('/dealers?q=denis')
  await page.locator('header summary').click()
  await page.getByRole('button', { name: 'Dark' }).click()
  t.ok(await waitUntil(async () => (await html.getAttribute('data-bs-theme')) === 'dark'), 'the page is dark')
  await page.locator('header summary').click()
  await page.getByRole('button', { name: 'Русский' }).click()
  t.ok(await waitUntil(async () => (await html.getAttribute('lang')) === 'ru'), 'the page is Russian')
  t.equal(new URL(page.url()).search, '?q=denis', 'still on the same page')
})

browserTest('whatever moves takes at most 150 ms, and nothing moves for those who want no motion', async (t, cabinet) => {
  const longest = `Math.max(...[...document.querySelectorAll('*')].flatMap((element) => {
    const { transitionDuration, animationDuration } = getComputedStyle(element)
    return [...transitionDuration.split(', '), ...animationDuration.split(', ')].map((time) => parseFloat(time) * (time.endsWith('ms') ? 1 : 1000))
  }))`
  const page = await cabinet.pageOf('root')
  for (const address of ['/', '/dealers', '/orders/add', '/status/edit/1?tab=transitions', '/news/add']) {
    await page.goto(address)
    for (const [reducedMotion, most] of [
      ['no-preference', 150],
      ['reduce', 0],
    ] as const) {
      await page.emulateMedia({ reducedMotion })
      t.ok((await page.evaluate<number>(longest)) <= most, `${address}, ${reducedMotion}`)
    }
  }
})
