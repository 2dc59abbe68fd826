import { readdirSync, readFileSync } from 'node:fs'
import workflow from '../../src/core/default-workflow.json' with { type: 'json' }
import type { Page } from './browser.ts'

/**
 * What looks broken on a page: text that is cut without dots or beside free space, words broken inside, controls over one another, and
 * English where Russian is spoken. One line each; of names, addresses and numbers, which are anything, only what was done to them.
 */
export async function sightFaults(page: Page): Promise<string[]> {
  const { faults, latin } = await page.evaluate<{ faults: string[]; latin: string[] }>(`(${look})()`)
  return [...new Set([...faults, ...latin.filter(isEnglish).map((text) => `English: ${text}`)])]
}

const dictionary = readdirSync(new URL('../../locales/ru', import.meta.url))
  .flatMap((file) => Object.entries(JSON.parse(readFileSync(new URL(`../../locales/ru/${file}`, import.meta.url), 'utf8'))))
  .filter(([english, russian]) => /[a-z]{3}/i.test(english.replaceAll(/\{\w+\}/g, '')) && english !== russian)
  .map(([english]) => english.replace(/_(one|few|many|other)$/, ''))

const seeded = [...workflow.statuses.map(({ name }) => name.en), ...Object.values(workflow.actions).map(({ name }) => name.en)]
const texts = new Set([...dictionary, ...seeded])
const patterns = dictionary
  .filter((text) => text.includes('{'))
  .map((text) => new RegExp(`^${text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '.+')}$`))

/** Whether a text is one of ours that has a Russian translation. */
function isEnglish(text: string): boolean {
  return texts.has(text) || patterns.some((pattern) => pattern.test(text))
}

/** Runs in the page. */
const look = `() => {
  // A column whose values are short today keeps some of its width for longer ones.
  const free = { inCells: 120, elsewhere: 80 }
  const inner = (element) => {
    const style = getComputedStyle(element)
    const { left, right } = element.getBoundingClientRect()
    return { left: left + parseFloat(style.paddingLeft), right: right - parseFloat(style.paddingRight) }
  }
  const filled = (element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect().width
  }
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) && !element.closest('.visually-hidden, [aria-hidden=true], svg')
  const isClipped = (element) => { for (let at = element; at; at = at.parentElement) if (getComputedStyle(at).clipPath !== 'none') return true; return false }
  const shown = [...document.querySelectorAll('body *')].filter((one) => isSeen(one) && !one.closest('script, style, template'))
  const told = (element) => element.tagName.toLowerCase() + (element.dataset.col ? '[' + element.dataset.col + ']' : '') + ' "' + (element.innerText ?? '').trim().slice(0, 60) + '"'

  const spare = (cell) => {
    const table = cell.closest('table')
    const columns = [...table.tHead?.rows[0]?.cells ?? []]
    return columns.map((head, at) => {
      const cells = [...table.rows].flatMap((row) => row.cells.length === columns.length ? [row.cells[at]] : [])
      const left = cells.map((one) => { const box = inner(one); return box.right - box.left - filled(one) })
      return at === cell.cellIndex || head.matches('.row-actions, .row-select') ? 0 : Math.min(...left)
    })
  }
  const beside = (element) => {
    const box = element.getBoundingClientRect()
    const parent = inner(element.parentElement)
    const others = [...element.parentElement.children].filter((one) => one !== element && isSeen(one)).map((one) => one.getBoundingClientRect())
      .filter(({ top, bottom, left }) => top < box.bottom && bottom > box.top && left >= box.right - 1)
    return Math.min(parent.right, ...others.map(({ left }) => left)) - box.right
  }
  const cut = shown.flatMap((element) => {
    const style = getComputedStyle(element)
    if (!['hidden', 'clip'].includes(style.overflowX) || element.scrollWidth <= element.clientWidth + 1 || isClipped(element)) return []
    if (!element.innerText?.trim() || ['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName) || element.clientWidth < 2) return []
    if (element.querySelector('table')) return []
    if (style.textOverflow !== 'ellipsis' && style.webkitLineClamp === 'none') return ['cut without dots: ' + told(element)]
    const isCell = element.tagName === 'TD'
    const space = isCell ? Math.max(0, ...spare(element)) : beside(element)
    return space >= (isCell ? free.inCells : free.elsewhere) ? ['cut beside ' + Math.round(space) + ' px: ' + told(element)] : []
  })

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const nodes = []
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (/\\p{L}{2}/u.test(node.data) && isSeen(node.parentElement) && !isClipped(node.parentElement) && !node.parentElement.closest('script, style, template, noscript, svg')) nodes.push(node)
  const lines = (node, from, to) => {
    const range = document.createRange()
    range.setStart(node, from)
    range.setEnd(node, to)
    return new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size
  }
  // Of a text that is cut after its first line nobody sees the second.
  const isOneLine = (element) => { for (let at = element; at; at = at.parentElement) if (getComputedStyle(at).webkitLineClamp === '1') return true; return false }
  const broken = nodes.filter((node) => lines(node, 0, node.length) > 1 && !isOneLine(node.parentElement) && getComputedStyle(node.parentElement).hyphens !== 'auto').flatMap((node) =>
    [...node.data.matchAll(/(?<![^\\s«»„“"'(,;:·–-])\\p{L}{2,30}(?![^\\s«»„“"'),.;:!?…·–-])/gu)]
      .filter(({ 0: word, index }) => lines(node, index, index + word.length) > 1)
      .map(([word]) => 'broken word: ' + word))

  const isFloating = (element) => { for (let at = element; at; at = at.parentElement) if (['fixed', 'sticky', 'absolute'].includes(getComputedStyle(at).position)) return true; return false }
  const visible = (element) => {
    let { left, right, top, bottom } = element.getBoundingClientRect()
    for (let at = element.parentElement; at; at = at.parentElement) if (getComputedStyle(at).overflowX !== 'visible') {
      const box = at.getBoundingClientRect()
      left = Math.max(left, box.left); right = Math.min(right, box.right); top = Math.max(top, box.top); bottom = Math.min(bottom, box.bottom)
    }
    return { element, left, right, top, bottom }
  }
  const controls = shown.filter((one) => one.matches('input:not([type=hidden]), select, textarea, button, .btn, .badge, .order-status, .form-label') && !isFloating(one) && !isClipped(one)).map(visible)
    .filter(({ left, right, top, bottom }) => right - left > 2 && bottom - top > 2)
  const over = controls.flatMap((one, at) => controls.slice(at + 1).flatMap((other) => {
    if (one.element.contains(other.element) || other.element.contains(one.element)) return []
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
    return width > 2 && height > 2 ? ['overlap of ' + Math.round(width) + ' px: ' + (one.element.id || told(one.element)) + ' and ' + (other.element.id || told(other.element))] : []
  }))

  const named = [...document.querySelectorAll('[title], [aria-label], [placeholder]')].flatMap((one) => ['title', 'aria-label', 'placeholder'].map((name) => one.getAttribute(name) ?? ''))
  const spoken = nodes.filter((node) => !node.parentElement.closest('[lang=en], pre, code')).map((node) => node.data)
  const latin = [...named, ...spoken].map((text) => text.replace(/\\s+/g, ' ').trim()).filter((text) => /[a-z]{3}/i.test(text))
  return { faults: [...cut, ...broken, ...over], latin: [...new Set(latin)] }
}`
