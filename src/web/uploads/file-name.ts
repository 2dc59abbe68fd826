import { extname } from 'node:path'
import { stripControlCharacters } from '../../core/text.ts'

const nameLimit = 255

/** The name a file came with, made harmless: no folders, nothing invisible and no gap that could disguise it. */
export function cleanName(sent: string): string {
  const last = sent.split(/[\\/]/).at(-1) ?? ''
  const visible = stripControlCharacters(last).replace(widthless, '').replace(/\s+/g, ' ').normalize('NFC').trim()
  if (visible === '' || /^\.+$/.test(visible)) return 'file'
  return shorten(visible)
}

// What joins letters has no width either, but some scripts and emoji need it.
const widthless = /[\u200b\u2060\ufeff]/g

/** Cut before the extension, which programs need. */
function shorten(name: string): string {
  const extension = extname(name).length <= 16 ? extname(name) : ''
  const stem = [...name.slice(0, name.length - extension.length)]
  return stem.slice(0, nameLimit - [...extension].length).join('') + extension
}

/** A record's name for a file, with the extension of the file that was sent where it has none of its own. */
export function downloadName(name: string, sent: string | undefined): string {
  const extension = extname(sent ?? '')
  const clean = cleanName(name)
  return clean.toLowerCase().endsWith(extension.toLowerCase()) ? clean : clean + extension
}

/** `Content-Disposition` of a download: the name for every browser, and an ASCII one for the rest (RFC 6266). */
export function contentDisposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_')
  const encoded = encodeURIComponent(name.replace(/\p{Surrogate}/gu, '_')).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
