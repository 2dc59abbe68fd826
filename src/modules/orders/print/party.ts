import { type Database, findSettings } from '../../../database/index.ts'
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

export function ownOrganization(db: Database, t: Translate): Party {
  const settings = findSettings(db)
  return { org: settings.legal_name ?? settings.name ?? undefined, details: detailsOf(settings, t), signatory: settings.signatory }
}
