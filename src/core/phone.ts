/** The shortest numbers that are called, without a city. */
const fewestDigits = 5

/**
 * Whether there is a number, and one that begins as those of Russia do, with +7, has its eleven digits. Numbers of other forms are taken as
 * they are typed, and what stands around a number, such as an extension or a name, is not looked at.
 */
export function isWholePhone(text: string): boolean {
  const [number] = /\+7[\d\s()./\p{Pd}]*/u.exec(text.replace(/\+\s*\(?/, '+')) ?? []
  return number === undefined ? digitsIn(text) >= fewestDigits : digitsIn(number) === 11
}

const digitsIn = (text: string): number => text.replace(/\D/g, '').length
