import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { onRecord } from '../../http/access/record-routes.ts'
import { action } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { notFound } from '../../http/request/errors.ts'
import { editPage, showRepeaterRow } from '../../records/card/show.ts'
import { viewOfFormWithConflicts } from '../../records/form/conflict-view.ts'
import { acceptedFiles, type Entry } from '../../records/form/form.ts'
import { type Conflict, formSteps } from '../../records/form/steps.ts'
import { type AnyCard, formCard, type Tab } from '../../records/kind/card.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { termsAccess } from './access.ts'
import { termsForm, termsFormState } from './form.ts'
import { termsRecords } from './records.ts'
import { saveTerms } from './save-terms.ts'
import { logoFiles } from './terms.ts'

/** The tab of a company's card. */
export const companyOfferTab: Tab<Company> = {
  name: 'offer',
  label: 'Offer',
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
      termsSteps(ownCompany, () => '/profile?tab=offer', showOwn),
    ),
  )
  app.get('/profile/offer/markups/row', { ...own, answers: 'fragment' }, (request, reply) => showRow(request, reply, ownCompany(request)))
  const edit = { access: termsAccess.edit, record: findCompany }
  app.post(
    '/company/:id/offer',
    action(
      { ...edit, ...files },
      termsSteps((_, company: Company) => company, cardAddress, showOnCard),
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

function termsSteps<R>(
  companyOf: (request: FastifyRequest, record: R) => Company,
  addressOf: (company: Company) => string,
  show: ShowAgain,
) {
  return formSteps({
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
