/** How somebody is reached, with the addresses. */
export const contactLinks = ({ phone, email }: { phone: string | null; email: string | null }) => ({
  phone,
  phoneLink: contactLink('phone', phone),
  email,
  emailLink: contactLink('email', email),
})

/** The address by which to call or to write to somebody. */
export function contactLink(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  if (name === 'phone') return `tel:${value.replace(/[^\d+]/g, '')}`
  return name === 'email' ? `mailto:${encodeURIComponent(value).replace('%40', '@')}` : undefined
}
