// What must not compile. `npm run check` fails when a line below `@ts-expect-error` compiles after all. Nothing here runs.
import { categories, companies, createRecord, type Database, updateRecord, type users } from '../src/database/index.ts'
import { action } from '../src/http/action.ts'
import { findCompany } from '../src/modules/companies/company.ts'
import { findOrder } from '../src/modules/orders/order.ts'
import { undo } from '../src/modules/orders/page/undo.ts'
import { number, readOnlyText, repeater, text } from '../src/records/fields/index.ts'
import { form, formWithoutTable } from '../src/records/form/form.ts'

declare const db: Database
declare const company: typeof companies.$inferSelect
declare const user: typeof users.$inferSelect
const author = { id: null, name: 'Somebody' }

export function writeRecords(): void {
  updateRecord(db, companies, company, { discount: 30 }, company.org, author)
  // @ts-expect-error a column that does not exist
  updateRecord(db, companies, company, { discuont: 30 }, company.org, author)
  const typed = { discount: 30, discuont: 30 }
  // @ts-expect-error the same in a value that was put together before
  updateRecord(db, companies, company, { ...typed }, company.org, author)
  // @ts-expect-error a value of another type
  updateRecord(db, companies, company, { discount: '30' }, company.org, author)
  // @ts-expect-error the record of another table
  updateRecord(db, companies, user, { discount: 30 }, company.org, author)
  // @ts-expect-error a part of a record, whose other columns would count as empty before
  updateRecord(db, companies, { id: 1, version: 1, discount: 20 }, { discount: 30 }, company.org, author)
  createRecord(db, categories, { name: 'Doors' }, 'Doors', author)
  // @ts-expect-error a column that does not exist
  createRecord(db, categories, { name: 'Doors', address: 'Kazan' }, 'Doors', author)
  // @ts-expect-error a required column is missing
  createRecord(db, categories, { search: 'doors' }, 'Doors', author)
}

export const forms = [
  form(companies, [{ title: 'Terms', fields: { discount: number('Discount', { least: 0, most: 100 }), note: readOnlyText('Note') } }]),
  // @ts-expect-error a field that no column holds
  form(companies, [{ title: 'Terms', fields: { discuont: number('Discount', { least: 0, most: 100 }) } }]),
  // @ts-expect-error the column of another table
  form(companies, [{ title: 'Name', fields: { lastname: text('Last name') } }]),
  form(companies, [{ title: 'Discounts', fields: { discounts: repeater('Discounts', {}, { key: 'id', rowLabel: 'Discount' }) } }], {
    extras: ['discounts'],
  }),
  // @ts-expect-error an extra field beside those declared
  form(companies, [{ title: 'More', fields: { invite: text('Invite'), reason: text('Reason') } }], { extras: ['invite'] }),
  formWithoutTable([{ title: 'Sign-in', fields: { code: text('Code') } }]),
]

export const routes = [
  action({ access: [], record: findOrder }, undo),
  // @ts-expect-error the finder of other records than the action wants
  action({ access: [], record: findCompany }, undo),
]
