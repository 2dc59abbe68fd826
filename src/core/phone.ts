/**
 * Whether a number that begins as those of Russia do, with +7, has its eleven digits. Numbers of other forms are taken as they are typed,
 * and what stands around a number, such as an extension or a name, is not looked at.
 */
export function isWholePhone(text: string): boolean {
  const [number] = /\+7[\d\s()./\p{Pd}]*/u.exec(text.replace(/\+\s*\(?/, '+')) ?? []
  return number === undefined || number.replace(/\D/g, '').length === 11
}
