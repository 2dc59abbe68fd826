/** Browsers ignore these characters in addresses. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
export const invisible = /[\u0000-\u0020]/g

/**
 * What an address means however often it was encoded. Decoding one character may complete the escape of another, so every escape is
 * decoded at its last character.
 */
export function decodeAddress(address: string): string {
  const letters: string[] = []
  for (const letter of address.replace(invisible, '')) {
    letters.push(letter)
    while (letters.at(-3) === '%' && /^[0-7][\da-f]$/i.test(letters.slice(-2).join(''))) {
      const [, ...code] = letters.splice(-3)
      letters.push(String.fromCharCode(Number.parseInt(code.join(''), 16)))
    }
  }
  return letters.join('').replace(invisible, '')
}
