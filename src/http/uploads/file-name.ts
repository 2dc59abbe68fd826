import { extname } from 'node:path'
import { compose, stripControlCharacters } from '../../core/text.ts'

const nameLimit = 255

/** A safe file name: without folders, invisible characters and gaps that could disguise the extension. */
export function cleanName(sent: string): string {
  const last = sent.split(/[\\/]/).at(-1) ?? ''
  const visible = compose(stripControlCharacters(last).replace(widthless, '')).replace(/\s+/g, ' ').trim()
  if (visible === '' || /^\.+$/.test(visible)) return 'file'
  return shorten(visible)
}

const widthless = /[\u200b\u2060\ufeff]/g

function shorten(name: string): string {
  const extension = extname(name).length <= 16 ? extname(name) : ''
  const stem = [...name.slice(0, name.length - extension.length)]
  return stem.slice(0, nameLimit - [...extension].length).join('') + extension
}

export function downloadName(name: string, sent: string | undefined): string {
  const extension = extname(sent ?? '')
  const clean = cleanName(name)
  return clean.toLowerCase().endsWith(extension.toLowerCase()) ? clean : clean + extension
}

export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
