import { orderItems, orderMessages } from '../../src/database/schema/index.ts'
import { browserTest, overflow, violations, waitUntil } from '../support/browser.ts'

browserTest('a question and its answer take two clicks each, and both sides are notified at once', async (t, cabinet) => {
  const { order } = cabinet.cast
  const [denis, maria] = [await cabinet.pageOf('denis'), await cabinet.pageOf('maria')]
  await maria.goto('/orders')
  await denis.goto('/orders')

  await denis.getByRole('link', { name: `#${order}`, exact: true }).click()
  await denis.waitForURL(`**/orders/${order}*`)
  const question = denis.getByLabel('Message', { exact: true })
  await question.pressSequentially('Ready by 1/2?')
  t.equal(await question.inputValue(), 'Ready by 1/2?', 'no letter is a shortcut')
  await denis.getByRole('button', { name: 'Send', exact: true }).click()
  await maria.getByRole('link', { name: 'Notifications: 1 unread notification', exact: true }).waitFor()

  await maria.getByRole('link', { name: `#${order}`, exact: true }).click()
  // Typing before the page's scripts have come offers no names.
  await maria.waitForURL(`**/orders/${order}*`)
  await maria.getByLabel('Message', { exact: true }).fill('Tomorrow, @Den')
  await maria.getByRole('button', { name: 'Denisov Denis' }).waitFor()
  t.same(await violations(maria), [], 'accessible while names are offered')
  const message = maria.getByLabel('Message', { exact: true })
  await message.fill('Tomorrow, @enis')
  t.ok(await waitUntil(async () => (await maria.getByRole('button', { name: 'Denisov Denis' }).count()) === 0), 'by how a name begins')
  await message.fill('Tomorrow, @den')
  const offered = maria.getByRole('button', { name: 'Denisov Denis' })
  await offered.waitFor()
  for (const other of ['Tomorrow, @den!', 'Tomorrow, a@den', 'Tomorrow']) {
    await message.fill('Tomorrow, @den')
    await offered.waitFor()
    await message.fill(other)
    t.ok(await waitUntil(async () => (await offered.count()) === 0), `no name is offered for ${other}`)
  }
  await message.fill('Tomorrow, @den at nine')
  for (let step = 0; step < ' at nine'.length; step++) await message.press('ArrowLeft')
  await maria.keyboard.press('Backspace')
  await offered.click()
  t.equal(await message.inputValue(), 'Tomorrow, @Denisov Denis  at nine')
  t.equal(await offered.count(), 0, 'a name is offered until it is chosen')
  await maria.keyboard.type('too')
  t.equal(await message.inputValue(), 'Tomorrow, @Denisov Denis too at nine', 'typing goes on behind the name')
  await message.fill('Tomorrow, @Denisov Denis ')
  await maria.getByRole('button', { name: 'Send', exact: true }).click()
  await denis.locator('[data-message]', { hasText: 'Tomorrow' }).waitFor()
  t.ok(
    await waitUntil(
      async () => (await denis.getByRole('link', { name: 'Notifications: 1 unread notification', exact: true }).count()) === 1,
    ),
  )

  await maria.getByLabel('Internal: hidden from dealers').check()
  await maria.getByLabel('Message', { exact: true }).fill('He pays late')
  await maria.getByRole('button', { name: 'Send', exact: true }).click()
  await maria.locator('[data-internal]').waitFor()
  await denis.waitForTimeout(500)
  t.equal(await denis.locator('[data-message]').count(), 2, 'the open page of the dealer shows no internal message')
  t.same(await violations(denis), [])
})

browserTest('names are offered as soon as they can be loaded, though they could not at first', async (_t, cabinet) => {
  cabinet.provoked.push(/ERR_INTERNET_DISCONNECTED/)
  const page = await cabinet.pageOf('maria')
  await page.goto(`/orders/${cabinet.cast.order}`)
  await page.route('**/people*', (route) => route.abort('internetdisconnected'), { times: 1 })
  const message = page.getByLabel('Message', { exact: true })
  const failed = page.waitForEvent('requestfailed')
  await message.fill('@d')
  await failed
  await message.fill('@de')
  await page.getByRole('button', { name: 'Denisov Denis' }).waitFor()
})

browserTest('a document is added to an order, opens by its row and is downloaded by its icon', async (t, cabinet) => {
  const { order } = cabinet.cast
  const page = await cabinet.pageOf('maria', { viewport: { width: 390, height: 844 } })
  await page.goto(`/orders/${order}`)
  t.equal(await overflow(page), 0, 'nothing sticks out on a phone')
  const files = {
    name: 'invoice.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>'),
  }
  await page.locator('input[name=invoice]').setInputFiles(files)
  // A browser without a window has nothing to show a PDF with.
  const opened = page.context().waitForEvent('request', (request) => /\/files\/[^/]+\/preview$/.test(request.url()))
  await page.getByRole('link', { name: 'invoice.pdf', exact: true }).click()
  t.equal((await (await opened).response())?.status(), 200)
  const download = page.waitForEvent('download', (one) => one.suggestedFilename() !== 'preview.pdf')
  await page.getByRole('link', { name: 'Download: invoice.pdf' }).click()
  t.equal((await download).suggestedFilename(), 'invoice.pdf')
  t.same(await violations(page), [])
})

browserTest('an order of twenty lines with a long discussion takes two screens of a phone', async (t, cabinet) => {
  const { cast, db } = cabinet
  for (let index = 1; index <= 20; index += 1) {
    const line = { name: `Sectional gate ${index} with a wicket door, 5000×2250`, quantity: index, price: 12_800_000, discount: 10 }
    db.insert(orderItems)
      .values({ order_id: cast.order, ...line })
      .run()
    const by = { author_id: cast.denis, author_name: 'Denisov Denis', author_group: 2 }
    db.insert(orderMessages)
      .values({ order_id: cast.order, at: index, text: `Question ${index}: is the gate in production?`, ...by })
      .run()
  }
  const page = await cabinet.pageOf('maria', { viewport: { width: 390, height: 844 } })
  await page.goto(`/orders/${cast.order}`)
  const screens = await page.evaluate('document.documentElement.scrollHeight / innerHeight')
  t.ok(Number(screens) <= 2, `${screens} screens`)
  const step = await page.getByRole('region', { name: 'Status' }).boundingBox()
  t.ok(step && step.y + step.height < 844, 'the next step is on the first')
  t.equal(await page.getByText('Question 2:').isVisible(), false)

  const last = page.getByText('Sectional gate 20 with')
  t.equal(await last.isVisible(), false)
  await page.getByText('Show all (').click()
  await last.waitFor()
  await page.getByText('Show earlier').click()
  await page.getByText('Question 2:').waitFor()
  await page.locator('summary', { hasText: 'Details' }).click()
  await page.getByText('Delivery method').waitFor()
  t.equal(await overflow(page), 0)
  t.same(await violations(page), [])

  await page.setViewportSize({ width: 1400, height: 900 })
  await page.reload()
  await last.waitFor()
  await page.getByText('Question 2:').waitFor()
})

browserTest(
  'an ordinary order takes a screen and a half; its status and next step stay in sight beside what one reads',
  async (t, cabinet) => {
    const { cast, db } = cabinet
    for (const name of ['Sectional gate with a wicket door, 5000×2250', 'Roller shutter, 2400×2200'])
      db.insert(orderItems).values({ order_id: cast.order, name, quantity: 2, price: 12_800_000, discount: 10 }).run()
    for (let index = 1; index <= 5; index += 1) {
      const [author_id, author_name] = index % 2 ? [cast.denis, 'Denisov Denis'] : [cast.maria, 'Petrova Maria']
      const values = { order_id: cast.order, at: index, text: `Question ${index}: is the gate in production?`, author_id, author_name }
      db.insert(orderMessages)
        .values({ ...values, author_group: 2 })
        .run()
    }
    const page = await cabinet.pageOf('maria', { viewport: { width: 1440, height: 900 } })
    await page.goto(`/orders/${cast.order}`)
    const screens = await page.evaluate('document.documentElement.scrollHeight / innerHeight')
    t.ok(Number(screens) <= 1.5, `${screens} screens`)
    const cardOf = (name: string) => page.locator('section.card', { has: page.getByRole('heading', { name, exact: true }) })
    const boxOf = async (name: string) => (await cardOf(name).boundingBox()) ?? { x: 0, y: 0, width: 0 }
    const [status, lines] = [await boxOf('Status'), await boxOf('Order lines')]
    t.ok(status.x >= lines.x + lines.width, 'beside the lines')
    t.equal(Math.round(status.y), Math.round(lines.y), 'and as high')
    const mine = (await page.locator('[data-message]', { hasText: 'Question 2:' }).boundingBox()) ?? { x: 0 }
    const theirs = (await page.locator('[data-message]', { hasText: 'Question 1:' }).boundingBox()) ?? { x: 0 }
    t.ok(mine.x > theirs.x + 50, 'what one wrote stands apart')

    await page.getByRole('button', { name: 'Send', exact: true }).scrollIntoViewIfNeeded()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    t.ok(await waitUntil(async () => Number(await page.evaluate('scrollY')) > 200))
    const { y } = await boxOf('Status')
    t.ok(y > 0 && y < 200, `in sight after scrolling: ${y}`)

    for (const width of [1100, 1099, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      t.equal(await overflow(page), 0, `nothing sticks out at ${width}`)
      const [one, other] = [await boxOf('Status'), await boxOf('Order lines')]
      t.equal(one.x > other.x, width >= 1100, `${width}: two columns or one`)
      if (width < 1100) t.ok(one.y < other.y, `${width}: what is to be done comes first`)
    }
  },
)
