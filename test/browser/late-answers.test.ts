import { setTimeout as pause } from 'node:timers/promises'
import { browserTest, type Page, waitUntil } from '../support/browser.ts'
import { dealerOf, hasFocus, hasQuery, hasTotal, isSwitched, plantCrowd, region, rowOf, rows } from '../support/dealers-list.ts'
import { setOrder, transitionBetween } from '../support/orders.ts'

browserTest('a user who types fast sees the results of the last input', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.route(/[?&]q=rom(&|$)/, async (route) => {
    await pause(700)
    await route.continue().catch(() => {})
  })
  const early = page.waitForRequest(/[?&]q=rom(&|$)/)
  await page.getByRole('searchbox').fill('rom')
  await early
  await page.getByRole('searchbox').fill('denis')
  t.ok(await hasTotal(page, 1))
  await pause(900)
  t.same(await rows(page).evaluateAll((shown) => shown.map((row) => row.id)), [`dealers-${cabinet.cast.denis}`])
  t.equal(await page.getByRole('searchbox').inputValue(), 'denis', 'what is typed stays')
  t.ok(await hasQuery(page, { q: 'denis' }))
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('a second click before the response shows the result of the second click', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  let release = await holdBack(page, /dealers\?/)
  await region(page).locator('th[data-col=company] a').click()
  await region(page).getByRole('link', { name: 'Next page' }).click()
  release()
  t.ok(await hasQuery(page, { sort: null, page: '2' }), 'the next page')

  release = await holdBack(page, /dealers\?/)
  await region(page).getByRole('link', { name: 'Next page' }).click()
  const searched = page.waitForRequest(/q=crowd5/)
  await page.getByRole('searchbox').fill('crowd5')
  await searched
  release()
  t.ok(await hasQuery(page, { page: null, q: 'crowd5' }), 'a search')
  t.ok(await hasTotal(page, 6))

  await page.goto(`/managers/edit/${cabinet.cast.maria}`)
  const tab = (name: string) => page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name })
  release = await holdBack(page, /managers\/edit/)
  await tab('Rights').click()
  await tab('History').click()
  release()
  await page.locator('.card-header-tabs [aria-current]', { hasText: 'History' }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('a late response does not close a dialog that was opened meanwhile', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.locator('[data-htmx-powered]').first().waitFor({ state: 'attached' })
  const release = await holdBack(page, /q=denis/)
  const asked = page.waitForRequest(/q=denis/)
  await page.getByRole('searchbox').fill('denis')
  await asked
  await page.locator('h1').first().click()
  await page.keyboard.press('?')
  const heading = page.getByRole('dialog').getByRole('heading', { name: 'Keyboard shortcuts' })
  await heading.waitFor()
  release()
  t.ok(await hasTotal(page, 1), 'the answer is shown')
  t.ok(await heading.isVisible(), 'behind the dialog')

  await page.goto('/dealers')
  const releaseAgain = await holdBack(page, /dealers\?q=denis/)
  const askedAgain = page.waitForRequest(/dealers\?q=denis/)
  await page.getByRole('searchbox').fill('denis')
  await askedAgain
  await page.locator('h1').first().click()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('searchbox').waitFor()
  await page.keyboard.insertText('alpha')
  const second = page.locator('#found a').nth(1)
  await page.locator('#found[data-q=alpha] .is-marked').waitFor()
  await page.keyboard.press('ArrowDown')
  releaseAgain()
  t.ok(await hasTotal(page, 1))
  t.ok(await second.evaluate((link) => link.classList.contains('is-marked')), 'nor moves it what is marked in the search')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

browserTest('the search that is asked for before the page can open it opens over the page as soon as it can', async (t, cabinet) => {
  const page = await cabinet.pageOf('maria')
  const isOpen = () => waitUntil(() => page.getByRole('dialog').getByRole('searchbox').isVisible())
  const release = await holdBack(page, /cabinet\.js/)
  await page.goto('/companies', { waitUntil: 'commit' })
  await page.locator('#find').waitFor()
  await page.keyboard.press('Control+k')
  release()
  t.ok(await isOpen(), 'pressed before the scripts have come')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.addInitScript(`document.addEventListener('load', ({ target }) => {
    if (target.src?.includes('cabinet.js')) document.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyK', ctrlKey: true }))
  }, true)`)
  await page.goto('/companies')
  t.ok(await isOpen(), 'pressed as they have just come')
  t.equal(new URL(page.url()).pathname, '/companies')
})

browserTest('keys that are pressed before the page knows them act when it does, in their order and once each', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  const release = await holdBack(page, /cabinet\.js/)
  await page.goto('/companies', { waitUntil: 'commit' })
  await page.locator('.list-footer').waitFor()
  for (const key of ['j', 'j', 'x']) await page.keyboard.press(key)
  release()
  await page.locator('.has-selected').waitFor()
  t.same(
    await page
      .locator('tbody .row-select input')
      .evaluateAll((boxes) => boxes.map((box) => (box as unknown as { checked: boolean }).checked).slice(0, 3)),
    [false, true, false],
    'the second row is ticked',
  )
  t.ok(await hasFocus(page.locator('.list-table .row-link').nth(1)))
})

browserTest('what is typed before the search has come is searched for, and presses no shortcut', async (t, cabinet) => {
  cabinet.provoked.push(/ERR_FAILED/, /htmx:error/)
  const page = await cabinet.pageOf('root')
  await page.goto('/companies')
  const release = await holdBack(page, /\/find/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('cj alpha')
  release()
  const field = page.getByRole('dialog').getByRole('searchbox')
  t.ok(await waitUntil(async () => (await field.inputValue()) === 'cj alpha'))
  await page.locator('#found[data-q="cj alpha"]').waitFor()
  t.equal(new URL(page.url()).pathname, '/companies', 'C would have added one')
  await page.keyboard.type(' w')
  t.equal(await field.inputValue(), 'cj alpha w', 'typing goes on behind it')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.route(/\/find/, (route) => route.abort())
  await page.keyboard.press('Control+k')
  await page.getByRole('alert').first().waitFor()
  await page.keyboard.press('j')
  t.ok(await hasFocus(page.locator('.list-table .row-link').first()), 'where it cannot come, keys are shortcuts again')
})

browserTest('a late response does not reopen a choice that was made', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('maria')
  await page.goto('/orders/add')
  const release = await holdBack(page, /\/orders\/dealers\?/)
  const select = (property: string) => page.evaluate<unknown>(`document.querySelector('select[name=dealer_id]').tomselect.${property}`)
  await page.locator('.ts-control').first().click()
  const asked = page.waitForRequest(/\/orders\/dealers\?.*q=crowd/)
  await page.locator('.dropdown-input:visible').fill('crowd')
  await asked
  await page.getByRole('listbox', { name: 'Dealer' }).getByRole('option').nth(2).click()
  t.ok(await waitUntil(async () => (await select('isOpen')) === false), 'the choice closes it')
  const chosen = await select('getValue()')
  t.ok(chosen)
  release()
  t.ok(await waitUntil(async () => (await select('loading')) === 0), 'the answer arrives')
  await pause(300)
  t.equal(await select('isOpen'), false, 'the list stays closed')
  t.equal(await select('getValue()'), chosen, 'and the choice as it is')
})

browserTest('a choice that is searched lists what was found for what is typed, and nothing else', async (t, cabinet) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('maria')
  await page.goto('/orders/add')
  await page.locator('.ts-control').first().click()
  const listed = page.getByRole('listbox', { name: 'Dealer' }).getByRole('option')
  const field = page.locator('.dropdown-input:visible')
  const release = await holdBack(page, /\/orders\/dealers\?.*q=crowd0/)
  const asked = page.waitForRequest(/q=crowd0/)
  await field.fill('crowd0')
  await asked
  await field.fill('denis')
  const others = async () => (await listed.allInnerTexts()).filter((text) => !/denis/i.test(text))
  await waitUntil(async () => (await others()).length === 0)
  t.same(await others(), [], 'neither the empty choice nor an earlier one')
  t.ok((await listed.count()) > 0)
  const late = page.waitForResponse(/q=crowd0/)
  release()
  await late
  await pause(300)
  t.same(await others(), [], 'nor what was found too late')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})

/** Keeps requests waiting until they are let go, in their order. */
async function holdBack(page: Page, pattern: RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route(pattern, async (route) => {
    await released
    await route.continue().catch(() => {})
  })
  return release
}

browserTest('a page whose session ended leads to the sign-in page', async (_t, cabinet) => {
  cabinet.provoked.push(/^401 \//)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await page.context().clearCookies()
  await page.getByRole('searchbox').fill('denis')
  await page.waitForURL('**/login**')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
})

browserTest('a step whose fields are filled when the session has ended keeps them, and offers to sign in', async (t, cabinet) => {
  cabinet.provoked.push(/^401 \//, /^422 .*transition/)
  const order = setOrder(cabinet, 'production')
  const page = await cabinet.pageOf('root')
  await page.goto(`/orders/edit/${order}`)
  await page.locator('.order-transitions > summary').click()
  await page.locator(`button[name=transition_id][value="${transitionBetween(cabinet, 'production', 'delivery').id}"]`).click()
  const date = page.locator('.transition-form [name=date_delivery]')
  await date.fill('01.12.2026')
  await page.context().clearCookies()
  await date.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'What you entered is still here' }).waitFor()
  t.equal(await date.inputValue(), '01.12.2026')
})

browserTest('a switch that is clicked again before it is answered ends as it was', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=denis')
  const active = rowOf(page, cabinet.cast.denis).getByRole('switch')
  const sent: (string | null)[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData()))
  const release = await holdBack(page, /active$/)
  await active.click()
  t.equal(await active.getAttribute('aria-checked'), 'false', 'it shows the new state at once')
  await active.click()
  release()
  t.ok(await isSwitched(active, true), 'and the old one after the second click')
  t.ok(await waitUntil(async () => dealerOf(cabinet, cabinet.cast.denis)?.active === true))
  t.match(sent, [/value=0/, /value=1/], 'both clicks were sent, in their order')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
})
