const address = /\bhttps?:\/\/[^\s<>"]+/gi

export function linkParts(text: string): { text: string; href?: string }[] {
  const parts: ReturnType<typeof linkParts> = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(address)) {
    const href = trimAddress(found)
    if (!isAddress(href)) continue
    if (index > end) parts.push({ text: text.slice(end, index) })
    parts.push({ text: href, href })
    end = index + href.length
  }
  return end < text.length ? [...parts, { text: text.slice(end) }] : parts
}

/** No host has more letters. To read one takes time that grows with the square of its length. */
const longestHost = 253

function isAddress(href: string): boolean {
  const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(href) ?? []
  return host.length <= longestHost && URL.canParse(href)
}

/** What it begins with does not follow another of its letters: so a long run of them is read once. */
const closing = /(?<![.,:;!?'»)\]}])[.,:;!?'»)\]}]+$/

function trimAddress(found: string): string {
  const trimmed = found.replace(closing, '')
  return trimmed.includes('(') && found[trimmed.length] === ')' ? `${trimmed})` : trimmed
}
