import { readFileSync } from 'node:fs'

const folder = new URL('../../../node_modules/@tabler/icons/icons/outline/', import.meta.url)

export const iconNames = [
  'alert-triangle',
  'arrow-back-up',
  'arrow-left',
  'arrow-right',
  'arrows-sort',
  'bell',
  'building',
  'building-factory-2',
  'building-warehouse',
  'category',
  'check',
  'checks',
  'chevron-down',
  'chevron-left',
  'chevron-right',
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
  'filter',
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
  'moon',
  'news',
  'plus',
  'printer',
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
  'sun',
  'tools',
  'trash',
  'phone',
  'upload',
  'user',
  'user-check',
  'user-shield',
  'users',
  'x',
]

export const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${iconNames.map(symbol).join('')}</svg>`

export function icon(address: string, name: string): string {
  if (!iconNames.includes(name)) throw new Error(`icon ${name} is not in the sprite`)
  return `<svg class="icon" aria-hidden="true"><use href="${address}#${name}"/></svg>`
}

function symbol(name: string): string {
  const shapes = readFileSync(new URL(`${name}.svg`, folder), 'utf8').match(/<(path|circle|line|rect|polyline)[^>]*>/g) ?? []
  const visible = shapes.filter((shape) => !shape.includes('stroke="none"'))
  return `<symbol id="${name}" viewBox="0 0 24 24">${visible.join('')}</symbol>`
}
