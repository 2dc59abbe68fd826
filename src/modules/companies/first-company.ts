import { companies, prepareOnce } from '../../database/index.ts'
import { companyAccess } from './access.ts'

/** Orders, payments and what is owed belong to companies: before there is one, nothing else is added. */
export const anyCompany = prepareOnce((db) => db.select({ id: companies.id }).from(companies).limit(1).prepare())

export const addCompany = { path: '/company/add', label: 'Add company', rule: companyAccess.add }
