/** Groups of three: 12 345. */
export function groupDigits(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, '\u00a0')
}
