import t from 'tap'
import { startCabinet } from '../support/cabinet.ts'
import { elementsOf, textOf } from '../support/html.ts'

t.test('a heading has no period, also where it says what is refused', async (t) => {
  const cabinet = await startCabinet(t)
  for (const [language, denied, missing] of [
    ['en', "You don't have access", 'Page not found'],
    ['ru', 'Нет доступа', 'Страница не найдена'],
  ] as const) {
    const denis = await cabinet.as('denis')
    await denis.post('/profile', { language })
    const headings = async (address: string) => {
      const { body } = await denis.get(address)
      return [...elementsOf(body, 'h1'), ...elementsOf(body, 'title')].map(textOf)
    }
    t.match(await headings('/settings'), [new RegExp(`^${denied}$`), new RegExp(`^${denied} · `)])
    t.match(await headings('/nothing-here'), [new RegExp(`^${missing}$`), new RegExp(`^${missing} · `)])
  }
})
