import { addDays } from '../../src/core/days.ts'
import { today } from '../../src/i18n/format.ts'
import { browserTest, overflow, violations } from '../support/browser.ts'

const words = {
  'en-US': { name: 'Name deputy', named: 'Deputy named', marked: 'for Petrova Maria', end: /^End now/, ended: 'Deputizing ended' },
  'ru-RU': {
    name: 'Назначить заместителя',
    named: 'Заместитель назначен',
    marked: 'замещение: Petrova Maria',
    end: /^Завершить: /,
    ended: 'Замещение завершено',
  },
}

for (const [locale, said] of Object.entries(words))
  browserTest(`a manager names a deputy, who finds the order, until it is ended (${locale})`, async (t, { cast, pageOf }) => {
    const [maria, mikhail] = [await pageOf('maria', { locale }), await pageOf('mikhail', { locale, viewport: { width: 390, height: 844 } })]
    await maria.goto('/profile?tab=deputies')
    await maria.locator('[name=deputy_id]').selectOption(String(cast.mikhail))
    await maria.locator('input[name=until]').fill(addDays(today(), 7))
    t.same(await violations(maria), [])
    await maria.getByRole('button', { name: said.name }).click()
    await maria.getByText(said.named).waitFor()
    await mikhail.goto('/orders')
    await mikhail.locator(`#orders-${cast.order}`, { hasText: said.marked }).waitFor()
    t.equal(await overflow(mikhail), 0)
    await mikhail.goto(`/orders/${cast.order}`)
    await mikhail.getByText(said.marked).first().waitFor()
    t.same(await violations(mikhail), [])
    await mikhail.goto('/profile?tab=deputies')
    t.equal(await overflow(mikhail), 0)
    t.same(await violations(mikhail), [])
    await maria.getByRole('button', { name: said.end }).click()
    await maria.getByText(said.ended).waitFor()
    await mikhail.goto('/orders')
    t.equal(await mikhail.locator(`#orders-${cast.order}`).count(), 0)
  })
