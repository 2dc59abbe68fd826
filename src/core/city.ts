/** The city that an address names, if it says so: `г. Тверь`, `city of Bath`. */
export function cityOf(address: string): string | null {
  return address.match(/(?:^|,)\s*(?:г\.|город|city of)\s*([^,]+)/i)?.[1] ?? null
}
