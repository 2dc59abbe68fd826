import type { Translate } from '../../../i18n/translate.ts'
import type { Company } from '../../companies/company.ts'

export interface Party {
  org?: string
  details: { label: string; value: string }[]
  signatory?: string | null
  contact?: { name: string; phone: string | null; email: string | null }
}

const labels = {
  inn: 'INN',
  kpp: 'KPP',
  ogrn: 'OGRN',
  legal_address: 'Registered address',
  bank: 'Bank',
  bik: 'BIK',
  rs: 'Bank account',
  cs: 'Correspondent account',
  phone: 'Phone',
  email: 'Email',
  contract_number: 'Contract number',
} as const

export function partyOf(company: Company | undefined, t: Translate): Party {
  if (!company) return { details: [] }
  return {
    org: company.org,
    details: detailsOf(company, t),
    signatory: company.director_name_short ?? company.director_name_full,
  }
}

export function detailsOf(organization: Partial<Record<keyof typeof labels, string | null>>, t: Translate): Party['details'] {
  const details = (Object.keys(labels) as (keyof typeof labels)[]).map((name) => ({
    label: t(labels[name]),
    value: organization[name] ?? '',
  }))
  return details.filter(({ value }) => value !== '')
}
