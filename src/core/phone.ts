/**
 * Whether somebody could be called by it: its first number has as many digits as there are in numbers, with +7 exactly eleven. What stands
 * around it, such as an extension or a name, is not looked at.
 */
export function isPhone(text: string): boolean {
  const [number = ''] = /\+?\d[\d\s()./\p{Pd}]*/u.exec(text.replace(/\+\s*\(?/, '+')) ?? []
  const digits = number.replace(/\D/g, '').length
  return number.startsWith('+7') ? digits === 11 : digits >= 5 && digits <= 15
}
