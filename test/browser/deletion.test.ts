import { browserTest, type Page, type Test, waitUntil } from '../support/browser.ts'
import {
  askToDelete,
  confirmation,
  dealerOf,
  hasQuery,
  hasTotal,
  journey,
  message,
  plantCrowd,
  plantDealer,
  pressDelete,
  region,
  rowOf,
  rows,
} from '../support/dealers-list.ts'

journey('an administrator deletes dealers', async (t, cabinet, js) => {
  const { roman, ivan, denis } = cabinet.cast
  const page = await cabinet.pageOf('admin', { javaScriptEnabled: js })
  await page.goto('/dealers?q=alpha&sort=company&dir=asc&cols=created_at')

  await askToDelete(page, [roman, ivan])
  const question = await confirmation(t, page, js)
  t.match(await question.getByRole('heading').innerText(), 'Delete 2 dealers?')
  t.match(await question.innerText(), /Romanov Roman[\s\S]*Inactive Ivan|Inactive Ivan[\s\S]*Romanov Roman/, 'names who')
  await question.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('searchbox').waitFor()
  await rowOf(page, roman).waitFor()
  await sameList(t, page, 'after cancelling')
  t.ok(dealerOf(cabinet, roman), 'cancelling deletes nothing')

  await page.goto('/dealers?q=alpha&sort=company&dir=asc&cols=created_at')
  await askToDelete(page, [roman, ivan])
  await (await confirmation(t, page, js)).getByRole('button', { name: 'Delete' }).click()
  await message(page, '2 dealers deleted').waitFor()
  t.notOk(dealerOf(cabinet, roman) || dealerOf(cabinet, ivan), 'both are gone')
  t.equal(await rowOf(page, roman).count(), 0)
  t.ok(await hasTotal(page, 1), 'the search still holds')
  await sameList(t, page, 'after deleting')

  await rowOf(page, denis).getByRole('link', { name: 'Delete' }).click()
  const one = await confirmation(t, page, js)
  t.equal(await one.getByRole('heading').innerText(), 'Delete 1 dealer?')
  if (js) t.equal(new URL(page.url()).pathname, '/dealers', 'to be asked is no step of the way back')
  t.match(await one.innerText(), '1 order will have no dealer.')
  await one.getByRole('button', { name: 'Delete' }).click()
  await message(page, 'Denisov Denis deleted').waitFor()
  t.notOk(dealerOf(cabinet, denis))
})

async function sameList(t: Test, page: Page, when: string): Promise<void> {
  t.ok(await hasQuery(page, { q: 'alpha', sort: 'company', cols: 'created_at' }), `the address is as it was ${when}`)
  t.equal(await page.getByRole('searchbox').inputValue(), 'alpha', `the search field is as it was ${when}`)
  t.equal(await page.locator('th[data-col=created_at]').count(), 1, `the columns are as they were ${when}`)
  t.equal(await page.locator('th[data-col=company]').getAttribute('aria-sort'), 'ascending', `the order is as it was ${when}`)
}

journey('an administrator deletes all dealers that a search found', async (t, cabinet, js) => {
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin', { javaScriptEnabled: js })
  await page.goto('/dealers?q=crowd')
  if (js) {
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    t.equal(await page.locator('tr[id^="dealers-"] input:checked').count(), 25, 'the whole page is selected')
    t.match(await region(page).getByRole('form', { name: 'Selected rows' }).innerText(), '25', 'and counted')
  } else await rows(page).first().getByRole('checkbox').check()
  await page.getByRole('checkbox', { name: 'Select all 55' }).check()
  await pressDelete(page)
  const question = await confirmation(t, page, js)
  t.match(await question.getByRole('heading').innerText(), 'Delete 55 dealers?')
  t.match(await question.innerText(), 'and 45 more')
  await question.getByRole('button', { name: 'Delete' }).click()
  await message(page, '55 dealers deleted').waitFor()
  t.ok(await hasTotal(page, 0), 'none is left')
  await page.goto('/dealers')
  t.ok(await hasTotal(page, 5), 'and nobody else was touched')
})

browserTest('a deletion whose selection changed meanwhile asks again with the new number', async (t, cabinet) => {
  cabinet.provoked.push(/^409 \/dealers\/delete/)
  plantCrowd(cabinet)
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers?q=crowd')
  await rows(page).first().getByRole('checkbox').check()
  await page.getByRole('checkbox', { name: 'Select all 55' }).check()
  await pressDelete(page)
  const question = await confirmation(t, page)
  plantDealer(cabinet, 'Crowd56', 'Member', cabinet.cast.companies.alpha, cabinet.cast.maria)
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.getByRole('alert').waitFor()
  t.match(await question.getByRole('heading').innerText(), 'Delete 56 dealers?', 'asks again')
  await question.getByRole('button', { name: 'Delete' }).click()
  await message(page, '56 dealers deleted').waitFor()
})

browserTest('after a deletion the keyboard focus stays in the list', async (t, cabinet) => {
  const page = await cabinet.pageOf('admin')
  await page.goto('/dealers')
  await askToDelete(page, [cabinet.cast.roman])
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await message(page, 'deleted').waitFor()
  t.equal(await page.getByRole('dialog').count(), 0, 'the dialog is closed')
  t.ok(await hasFocusInside(page), 'the focus is not lost to the top of the page')
})

const hasFocusInside = (page: Page) => waitUntil(() => page.evaluate<boolean>("document.activeElement?.closest('main') !== null"))
