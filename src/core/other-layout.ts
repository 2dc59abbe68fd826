const latin = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
const russian = 'йцукенгшщзхъфывапролджэячсмитьбюё'

/** What the same keys write with the other of both layouts, English and Russian. */
export function inOtherLayout(text: string): string {
  const [from, to] = /\p{Script=Cyrillic}/u.test(text) ? [russian, latin] : [latin, russian]
  return [...text.toLowerCase()].map((letter) => to[from.indexOf(letter)] ?? letter).join('')
}
