import { createRequire } from 'node:module'
import type sanitizeHtml from 'sanitize-html'
import type { Attributes, IOptions, Tag } from 'sanitize-html'
import { decodeAddress, invisible } from './decode-address.ts'
import markup from './sanitize-allowed.json' with { type: 'json' }
import { firstCharacters } from './text.ts'

/** Increase it with every change of what is stored for readers: articles of an older version are sanitized again. */
export const sanitizerVersion = 7

/**
 * Reduces an author's HTML to text, headings, lists, tables, links, images, video and harmless styles; nothing in the result can run,
 * submit or cover the page.
 * @param ownHosts names of this service: of absolute addresses of theirs only news images are loaded
 */
export function sanitizeMarkup(html: string, ownHosts: readonly string[] = []): string {
  const sanitize: typeof sanitizeHtml = require('sanitize-html')
  return sanitize(html, { ...allowed, transformTags: transformTags(new Set(ownHosts.map(normalizeHost))) })
}

const require = createRequire(import.meta.url)

export type Sanitized = ReturnType<typeof sanitizeDescription>

export function sanitizeDescription(description: string | null, ownHosts: readonly string[]) {
  const shown = sanitizeMarkup(description ?? '', ownHosts)
  return { shown, excerpt: excerptOf(shown) }
}

export function isTooComplex(html: string): boolean {
  const marks = html.match(/</g)?.length ?? 0
  const tags = marks > tagLimit ? (html.match(/<[a-z]/gi)?.length ?? 0) : 0
  return marks > 3 * tagLimit || tags > tagLimit
}

const tagLimit = 20_000

const excerptLength = 200

/** Sentences, without headings, tables and lists; a sentence that leads to one of these ends there. */
export function excerptOf(sanitized: string): string {
  const text = textOf(withoutLists(sanitized.replace(headings, ' ')).replace(leading, '. ')) || textOf(sanitized)
  const start = firstCharacters(text, excerptLength)
  return start.length < text.length ? `${start.trimEnd()}…` : text
}

const headings = /<(h[2-6])\b[^>]*>[\s\S]*?<\/\1>/g
const innermostList = /<(table|ul|ol|dl)\b[^>]*>(?:(?!<(?:table|ul|ol|dl)\b)[\s\S])*?<\/\1>/g
const leading = /:\s*(?:<(?!hr>)[^>]*>\s*)*<hr>/g

function withoutLists(html: string): string {
  const shorter = html.replace(innermostList, '<hr>')
  return shorter === html ? html : withoutLists(shorter)
}

function textOf(html: string): string {
  const text = html
    .replace(betweenItems, '; ')
    .replace(blockTags, ' ')
    .replace(/<[^>]*>/g, '')
  return decode(text).replace(/\s+/g, ' ').trim()
}

const betweenItems = /(?<![.,:;!?])<\/li>\s*(?=<li\b)/g
const blockTags = /<\/?(?:p|div|li|h[2-6]|t[dhr]|br|hr|blockquote|figcaption|d[dt]|pre|section|summary|caption)\b[^>]*>/g

function decode(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

const size = /^(?:\d{1,4}(?:\.\d{1,3})?(?:px|pt|em|rem|%)|0|auto)$/
const colorPattern = /^(?:#[\da-f]{3,8}|[a-z]{3,24}|(?:rgb|hsl)a?\([\d.,%/ deg]{3,40}\))$/i
// Words are separated by spaces only, so the expression cannot backtrack.
const borderWord = String.raw`(?:(?:\d{1,5}(?:\.\d{1,9})?|\.\d{1,9})(?:px|pt|em)?|#[\da-f]{3,8}|[a-z]{3,24}|rgba?\([\d., ]{3,40}\))`
const border = new RegExp(String.raw`^${borderWord}(?:\s+${borderWord}){0,3}\s*$`, 'i')
const fontSize =
  /^(?:(?:[89]|[1-3]\d)(?:\.\d{1,2})?(?:px|pt)|(?:0\.[5-9]\d?|[12](?:\.\d{1,2})?)r?em|(?:5\d|[6-9]\d|1\d\d)%|(?:x{1,2}-)?(?:small|large)|medium)$/

const styles = {
  'text-align': [/^(?:left|right|center|justify|start|end)$/],
  'text-decoration': [/^(?:underline|line-through|none)$/],
  'text-transform': [/^(?:uppercase|lowercase|capitalize|none)$/],
  'vertical-align': [/^(?:top|middle|bottom|baseline|sub|super)$/],
  'font-weight': [/^(?:bold|bolder|normal|lighter|[1-9]00)$/],
  'font-style': [/^(?:italic|normal)$/],
  'font-size': [fontSize],
  'line-height': [/^(?:[12](?:\.\d{1,2})?|normal)$/],
  'list-style-type': [/^[a-z-]{3,24}$/],
  color: [colorPattern],
  'background-color': [colorPattern],
  float: [/^(?:left|right|none)$/],
  width: [size],
  height: [size],
  'margin-left': [size],
  'margin-right': [size],
  'padding-left': [size],
  border: [border],
  'border-width': [border],
  'border-style': [border],
  'border-color': [border],
  'border-collapse': [/^(?:collapse|separate)$/],
}

const allowed: IOptions = {
  allowedTags: Object.values(markup.tags).join(' ').split(' '),
  allowedAttributes: markup.attributes,
  allowedSchemes: ['http', 'https'],
  allowedSchemesByTag: { a: ['http', 'https', 'mailto', 'tel'], img: ['http', 'https', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src', 'poster'],
  allowedStyles: { '*': styles },
  nonTextTags: markup.droppedWithContent.split(' '),
  selfClosing: ['br', 'col', 'hr', 'img', 'source', 'wbr'],
  nestingLimit: 100,
}

const transformTags = (ownHosts: ReadonlySet<string>): IOptions['transformTags'] => ({
  a: link,
  img: (tagName, attributes) => image(tagName, attributes, ownHosts),
  source: (tagName, attributes) => ({ tagName, attribs: loadable(attributes, ownHosts) }),
  video: (tagName, attributes) => ({ tagName, attribs: { ...loadable(attributes, ownHosts), controls: '', preload: 'metadata' } }),
  h1: 'h2',
  center: (_, attributes) => ({ tagName: 'div', attribs: { ...attributes, style: 'text-align:center' } }),
  font: (_, { color }): Tag => ({ tagName: 'span', attribs: color ? { style: `color:${color}` } : {} }),
})

function link(tagName: string, { href, ...attributes }: Attributes): Tag {
  if (href === undefined || !isFollowable(href)) return { tagName: 'span', attribs: attributes }
  return { tagName, attribs: { href, ...attributes, target: '_blank', rel: 'noopener noreferrer nofollow' } }
}

function isFollowable(href: string): boolean {
  const address = href.replace(invisible, '')
  return address !== '' && !address.startsWith('#') && !impersonates(href)
}

/** A link that starts an impersonation must not hide in an article. */
function impersonates(address: string): boolean {
  return /impersonate/i.test(decodeAddress(address))
}

function image(tagName: string, attributes: Attributes, ownHosts: ReadonlySet<string>): Tag {
  const { src = '', alt = '' } = attributes
  const isAllowedSource = !/^\s*data:/i.test(src) || /^data:image\/(?:png|jpe?g|gif|webp|avif);base64,[\w+/=\s]*$/i.test(src)
  return { tagName, attribs: { ...loadable(attributes, ownHosts), ...(!isAllowedSource && { src: '' }), alt, loading: 'lazy' } }
}

function loadable(attributes: Attributes, ownHosts: ReadonlySet<string>): Attributes {
  const refused = ['src', 'poster'].filter((name) => !isLoadable(attributes[name] ?? '', ownHosts))
  return { ...attributes, ...Object.fromEntries(refused.map((name) => [name, ''])) }
}

/** Other hosts and our own news images only: any other path of ours could have side effects. */
function isLoadable(address: string, ownHosts: ReadonlySet<string>): boolean {
  const plain = address.replace(invisible, '')
  if (impersonates(plain)) return false
  if (/^data:/i.test(plain)) return true
  if (!/^(?:https?:)?[\\/]{2}[^\\/]/i.test(plain)) return newsPicture.test(plain)
  if (!URL.canParse(plain, 'https://cabinet.invalid') || /[\\/]login\b/i.test(decodeAddress(plain))) return false
  const { hostname, pathname, search } = new URL(plain, 'https://cabinet.invalid')
  return !ownHosts.has(normalizeHost(hostname)) || newsPicture.test(pathname + search)
}

const normalizeHost = (name: string) => name.toLowerCase().replace(/\.$/, '')

const newsPicture = /^(?:\/[\w.~-]+)*\/news\/images\/\w+\/\w+$/
