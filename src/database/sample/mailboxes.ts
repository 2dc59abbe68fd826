const cyrillic = 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя'
const letters = 'a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh sch  y  e yu ya'.split(' ')

export function transliterate(name: string): string {
  const spelled = [...name.toLowerCase()].map((letter) => letters[cyrillic.indexOf(letter)] ?? letter)
  return spelled.join('').replace(/[^a-z]/g, '')
}

export function makeMailboxes() {
  const taken = new Set<string>()
  return ({ lastname, name }: { lastname: string; name: string }): string => {
    const family = transliterate(lastname)
    const short = `${transliterate(name.charAt(0))}.${family}`
    const long = `${transliterate(name)}.${family}`
    const numbered = Array.from({ length: 99 }, (_, index) => `${long}${index + 2}`)
    const mailbox = [short, long, ...numbered].find((box) => !taken.has(box)) as string
    taken.add(mailbox)
    return `${mailbox}@example.com`
  }
}
