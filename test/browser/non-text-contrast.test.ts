import { browserTest } from '../support/browser.ts'
import { setTheme } from '../support/looks.ts'

/** What each control shows of itself beside its text, WCAG 1.4.11: one line for each with less than 3:1 against its surroundings. */
const faintControls = `(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgba = (color) => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data]
  }
  const luminance = (color) => rgba(color).slice(0, 3)
    .map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0)
  const contrast = (one, other) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }
  const behind = (element) => {
    for (let place = element.parentElement; place; place = place.parentElement) {
      const color = getComputedStyle(place).backgroundColor
      if (rgba(color)[3] === 255) return color
    }
    return 'white'
  }
  const shown = [...document.querySelectorAll('main :is(.form-control, .form-select, .form-check-input, .ts-control)')]
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 4)
    // Its icon and its words say what a search is.
    .filter((element) => !element.closest('.list-tools, .list-search'))
  return shown.flatMap((element) => {
    const { borderTopColor, backgroundColor } = getComputedStyle(element)
    const surface = behind(element)
    const best = Math.max(...[borderTopColor, backgroundColor].filter((color) => rgba(color)[3] === 255).map((color) => contrast(color, surface)), 0)
    return best < 3 ? [element.outerHTML.slice(0, 90) + ' has ' + best.toFixed(2)] : []
  })
})()`

browserTest('fields, checkboxes and switches have enough contrast, in dark mode too', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  for (const address of [`/dealers/edit/${cabinet.cast.denis}`, `/company/edit/${cabinet.cast.companies.alpha}`, '/dealers', '/profile'])
    for (const theme of ['light', 'dark'] as const) {
      await page.goto(address)
      await setTheme(page, theme)
      t.same(await page.evaluate<string[]>(faintControls), [], `${address}, ${theme}`)
    }
})

browserTest('every element shows when it has the keyboard focus', async (t, cabinet) => {
  const page = await cabinet.pageOf('root')
  await page.goto('/dealers')
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab')
    const bare = await page.evaluate<string>(`(() => {
      const focused = document.activeElement
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused)
      const ring = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
      return ring || boxShadow !== 'none' ? '' : focused.outerHTML.slice(0, 120)
    })()`)
    t.equal(bare, '', `stop ${step} has a ring`)
  }
})
