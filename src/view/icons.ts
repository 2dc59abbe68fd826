import { readFileSync } from 'node:fs'
import { root } from '../root.ts'

const folder = new URL('node_modules/@tabler/icons/icons/outline/', root)

export const iconNames = [
  'adjustments-horizontal',
  'alert-triangle',
  'arrow-back-up',
  'arrow-left',
  'arrow-right',
  'arrows-sort',
  'bell',
  'building',
  'building-factory-2',
  'building-warehouse',
  'calendar',
  'category',
  'check',
  'checks',
  'chevron-down',
  'chevron-left',
  'chevron-right',
  'copy',
  'chevron-up',
  'chevrons-left',
  'chevrons-right',
  'clock',
  'columns',
  'device-floppy',
  'dots',
  'download',
  'edit',
  'eye',
  'file-text',
  'filter',
  'filter-off',
  'grip-vertical',
  'history',
  'home',
  'info-circle',
  'key',
  'language',
  'layout-dashboard',
  'layout-kanban',
  'list',
  'lock',
  'login',
  'logout',
  'mail',
  'menu-2',
  'minus',
  'news',
  'plus',
  'package',
  'printer',
  'receipt',
  'refresh',
  'rotate-2',
  'rotate-clockwise-2',
  'route',
  'search',
  'selector',
  'send',
  'settings',
  'shield-lock',
  'shopping-cart',
  'tools',
  'trash',
  'paperclip',
  'phone',
  'upload',
  'wallet',
  'user',
  'user-check',
  'user-shield',
  'users',
  'x',
]

/** Drawn in the page itself: an element that refers to a drawing elsewhere costs browsers twice as much. */
export function icon(name: string): string {
  if (!iconNames.includes(name)) throw new Error(`icon ${name} is not among the icons`)
  return `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${shapeOf(name)}</svg>`
}

/** For style sheets, in a gray that is visible on light and dark surfaces alike, and in pixels, twice as many as an icon of a row is wide: browsers open a document of its own for each drawing. */
export async function iconImage(name: string): Promise<string> {
  const { default: sharp } = await import('sharp')
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="#868e96" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${shapeOf(name)}</svg>`
  const pixels = await sharp(Buffer.from(drawing), { density: 108 }).png({ palette: true, colours: 8, dither: 0 }).toBuffer()
  return `url("data:image/png;base64,${pixels.toString('base64')}")`
}

/** For the mask of a style sheet: several as one drawing, one below the other. */
export function iconStrip(names: string[]): string {
  const shapes = names.map((name, at) => `<g transform="translate(0 ${24 * at})">${shapeOf(name)}</g>`)
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 ${24 * names.length}" fill="none" stroke="#000" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">${shapes.join('')}</svg>`
  return `url("data:image/svg+xml,${encodeURIComponent(drawing)}")`
}

/** All lines of an icon as one path; the first of each file is only its square. */
function shapeOf(name: string): string {
  const [, ...lines] = readFileSync(new URL(`${name}.svg`, folder), 'utf8').matchAll(/ d="(M[^"]+)"/g)
  return `<path d="${lines.map(([, line]) => line).join('')}"/>`
}
