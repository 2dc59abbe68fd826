import { eq } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Rounding } from '../../core/pricing.ts'
import { categories, categoryMarkups, companies, createRecord, type Database, offerTerms, updateRecord } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound, ValidationFailed } from '../../http/request/errors.ts'
import { editPage, showRepeaterRow } from '../../records/card/show.ts'
import { choice, number, option, paragraph, phone, picture, repeater, text } from '../../records/fields/index.ts'
import { viewOfFormWithConflicts } from '../../records/form/conflict-view.ts'
import { acceptedFiles, type EditValues, type Entry, type FormState, form } from '../../records/form/form.ts'
import { type Conflict, formAction } from '../../records/form/form-action.ts'
import type { Subordinate } from '../../records/history/subordinates.ts'
import { type AnyCard, formCard, type Tab } from '../../records/kind/card.ts'
import { nameChoices } from '../../records/list/record-filters.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { termsAccess } from './access.ts'
import { findTerms, logoFiles, type MarkupRow, markupsOf } from './terms.ts'

const roundingNames: Record<Rounding, string> = { 1: '1', 10: '10', 100: '100' }

const percent = { least: 0, most: 1000 }

const termsForm = form(
  offerTerms,
  [
    {
      title: 'Retail prices',
      fields: {
        markup: number('Markup, %', { required: true, missing: 'Enter a markup.', ...percent, hint: 'Added to what your company pays' }),
        round_to: option('Round retail prices to', roundingNames, { required: true, hint: 'Whole units of the currency' }),
        valid_days: number('Days that an offer is valid', { required: true, missing: 'Enter a number of days.', least: 1, most: 365 }),
      },
    },
    {
      title: 'Sender',
      fields: {
        name: text('Name on offers', { hint: 'If empty, that of the company' }),
        phone: phone('Phone'),
        logo: picture('Logo', { hint: 'JPEG, PNG, WebP, GIF, or AVIF, on a light background' }),
        text: paragraph('Text below', { max: 2000, hint: 'Such as terms of delivery and payment' }),
      },
    },
    {
      title: 'Category markups',
      fields: {
        markups: repeater(
          'Category markups',
          {
            category_id: choice('Category', { required: true, missing: 'Choose a category.' }),
            markup: number('Markup, %', { required: true, missing: 'Enter a markup.', ...percent }),
          },
          { key: 'id', unique: 'category_id', rowLabel: 'Markup', addLabel: 'Add markup' },
        ),
      },
    },
  ],
  { extras: ['markups'] },
)

function termsFormState(db: Database, { id }: Company): FormState {
  const stored = { round_to: '1', valid_days: 14, ...findTerms(db, id), markups: markupsOf(db, id) }
  return { mode: 'edit', stored, choices: { 'markups.category_id': nameChoices(db, categories) } }
}

/** The tab of a company's card. */
export const companyOfferTab: Tab<Company> = {
  name: 'offer',
  label: 'Offer',
  icon: 'file-text',
  rule: termsAccess.edit,
  template: formCard.template,
  load: (request, company) => viewOfTerms(request, company, `/company/${company.id}/offer`),
}

type ShowAgain = (request: FastifyRequest, reply: FastifyReply, company: Company, entry: Entry, conflict?: Conflict) => FastifyReply

/** @param showOwn the profile of a dealer with the form on its tab, and what is wrong with it */
export function offerTermsRoutes(app: FastifyInstance, showOwn: ShowAgain): void {
  app.registry.subordinates.push(termsRecords)
  app.registry.filesBesideCards.push(logoFiles)
  const files = acceptedFiles(termsForm, 'edit')
  const own = { access: termsAccess.editOwn }
  app.post(
    '/profile/offer',
    action(
      { ...own, ...files },
      termsAction(ownCompany, () => '/profile?tab=offer', showOwn),
    ),
  )
  app.get('/profile/offer/markups/row', { ...own, answers: 'fragment' }, (request, reply) => showRow(request, reply, ownCompany(request)))
  const edit = { access: termsAccess.edit, record: findCompany }
  app.post(
    '/company/:id/offer',
    action(
      { ...edit, ...files },
      termsAction((_, company: Company) => company, cardAddress, showOnCard),
    ),
  )
  app.get('/company/:id/offer/markups/row', onRecord({ ...edit, answers: 'fragment' }, showRow))
}

const showRow = showRepeaterRow<Company>(
  { form: termsForm, formState: ({ server }, company) => termsFormState(server.db, company as Company) },
  'markups',
)

/** @throws HttpError 404 for a dealer without one */
function ownCompany({ server, actor }: Context): Company {
  const company = findCompany(server.db, actor.company_id ?? 0)
  if (!company) throw notFound()
  return company
}

const cardAddress = ({ id }: Company) => `/company/edit/${id}?tab=offer`

function termsAction<R>(
  companyOf: (request: FastifyRequest, record: R) => Company,
  addressOf: (company: Company) => string,
  show: ShowAgain,
) {
  return formAction({
    form: termsForm,
    mode: 'edit',
    state: (request, record: R) => termsFormState(request.server.db, companyOf(request, record)),
    save(request, values, record) {
      const company = companyOf(request, record)
      saveTerms(request, company, values)
      return { location: url(request.server, addressOf(company)), message: ['Offer saved'] }
    },
    showAgain: (request, reply, record, entry, conflict) => show(request, reply, companyOf(request, record), entry, conflict),
  })
}

function showOnCard(request: FastifyRequest, reply: FastifyReply, company: Company, entry: Entry, conflict?: Conflict): FastifyReply {
  const card = request.server.records.get('companies')?.card as AnyCard
  const shown = viewOfTerms(request, company, `/company/${company.id}/offer`, entry, conflict)
  return editPage(request, reply, card, company, { more: shown, tab: companyOfferTab.name })
}

/** The form as a tab of a card shows it. */
export function viewOfTerms({ server, t }: Context, company: Company, path: string, entry?: Entry, conflict?: Conflict) {
  const action = url(server, path)
  return { ...viewOfFormWithConflicts(termsForm, termsFormState(server.db, company), t, entry, conflict), action, rowAddress: action }
}

/** Call it inside `write`. */
function saveTerms({ server: { db }, author }: Context, company: Company, input: EditValues<typeof termsForm>): void {
  const { markups, markup, round_to, valid_days, ...others } = input
  const before = findTerms(db, company.id)
  const numbers = { ...(markup != null && { markup }), ...(round_to != null && { round_to }), ...(valid_days != null && { valid_days }) }
  const rows = () => (markups ? { markups: saveMarkups(db, company.id, markups) } : undefined)
  if (before) return void updateRecord(db, offerTerms, before, { ...others, ...numbers }, company.org, author, rows())
  if (markup == null) throw new ValidationFailed({ markup: 'Enter a markup.' })
  createRecord(db, offerTerms, { ...others, ...numbers, markup, company_id: company.id }, company.org, author, () => rows() ?? {})
}

/** Replaces the markups of a company; rows keep their ids. Call it inside `write`. */
function saveMarkups(db: Database, companyId: number, rows: readonly MarkupRow[]): [MarkupRow[], MarkupRow[]] {
  const before = markupsOf(db, companyId)
  // Rows may swap categories, and each category is unique, so updating them one by one would fail.
  db.delete(categoryMarkups).where(eq(categoryMarkups.company_id, companyId)).run()
  for (const { id, category_id, markup } of rows)
    db.insert(categoryMarkups).values({ id, company_id: companyId, category_id, markup }).run()
  return [before, markupsOf(db, companyId)]
}

/** What the history tells of how companies make offers: a markup is the business of whoever may set it. */
const termsRecords: Subordinate = {
  needs: 'company_offer_can_edit',
  table: offerTerms,
  title: 'Offer for the customer',
  fields: { company_id: choice('Company'), ...termsForm.fields },
  owners: [{ table: companies, column: offerTerms.company_id }],
}
