import { desc } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows, authorizer, isDealer } from '../../core/access.ts'
import { users } from '../../database/index.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { type CardFrame, cardPart, tabQuery } from '../../records/kind/card.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import { readingPath } from '../../records/list/record-paths.ts'
import { companyAccess } from '../companies/access.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { companyRoutes } from '../companies/routes.ts'
import { companyOfferTab } from '../offers/routes.ts'
import { moveWhenPaid } from '../orders/transitions/move-when-paid.ts'
import { dealerAccess, findDealer } from '../users/dealers/access.ts'
import { viewOfDetails, viewOfTerms } from './details.ts'
import { viewOfManagers } from './managers.ts'
import { viewOfMonths, viewOfOrders } from './orders.ts'

/** Companies, with what orders and people say of them, of which their own module knows nothing. */
export async function companyOverviewRoutes(app: FastifyInstance): Promise<void> {
  companyRoutes(app, { overview, tabs: [companyOfferTab] }, moveWhenPaid)
  app.get('/companies/:id', onRecord({ access: companyAccess.view, record: findCompany, answers: 'redirect' }, showOverview))
}

function showOverview(request: FastifyRequest, reply: FastifyReply, { id }: Company): FastifyReply {
  return reply.redirect(url(request.server, `/company/edit/${id}`) + tabQuery(request, 'overview'), 303)
}

const overviewPage = template<CardFrame & ReturnType<typeof viewOfOverview>>('overviews/company.njk')

/** A company as one reads it: orders and details beside terms and people, each part for those who may see it elsewhere. */
const overview = cardPart(overviewPage, viewOfOverview)

function viewOfOverview(context: Context, company: Company) {
  return {
    form: `/company/edit/${company.id}`,
    mayEdit: allows(companyAccess.edit, context.actor, company),
    orders: viewOfOrders(context, 'company', company.id),
    months: viewOfMonths(context, company),
    details: viewOfDetails(context, company),
    terms: viewOfTerms(context, company),
    managers: viewOfManagers(context, company),
    people: viewOfPeople(context, company),
    files: viewOfFiles(context, company),
  }
}

/** Dealers never get company files, whatever policies they have. */
function viewOfFiles({ actor }: Context, { files }: Company) {
  return isDealer(actor) ? undefined : files
}

const shown = 6

/** The dealers of a company whom somebody sees in the list, those with access first. */
function viewOfPeople(context: Context, { id }: Company) {
  const { db, records } = context.server
  const { actor } = context
  const list = records.get('dealers')?.list
  if (!list || !allows(dealerAccess.list, actor)) return undefined
  const where = conditionOf(list, actor, { filters: { company: String(id) } })
  const { lastname, name, middlename, image, phone, active } = users
  const named = db.select({ id: users.id, lastname, name, middlename, image, phone, active }).from(users).where(where)
  const rows = named.orderBy(desc(active), users.search, users.id).limit(shown).all()
  const mayView = authorizer(dealerAccess.view, actor)
  return {
    count: countUpToLimit(db, users, where),
    address: `/dealers?company=${id}`,
    add: allows(dealerAccess.add, actor) ? `/dealers/add?company=${id}` : undefined,
    rows: rows.map((person) => {
      const dealer = findDealer(db, person.id)
      return { ...person, href: dealer && mayView(dealer) ? readingPath(context, 'dealers', person.id) : undefined }
    }),
  }
}
