import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows, group } from '../../core/access.ts'
import { seesPrices } from '../../core/prices.ts'
import { companies } from '../../database/index.ts'
import { personReader } from '../../http/access/person-reader.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { formatCalendarDate, formatDateTime } from '../../i18n/format.ts'
import { type CardFrame, cardPart } from '../../records/kind/card.ts'
import { conditionOf } from '../../records/list/conditions.ts'
import { countUpToLimit } from '../../records/list/count.ts'
import { readingPath } from '../../records/list/record-paths.ts'
import { loadRows } from '../../records/list/rows.ts'
import { companyAccess } from '../companies/access.ts'
import { findCompany } from '../companies/company.ts'
import { type CompanyRow, companyList } from '../companies/list.ts'
import { accessRule, sumUpAccess } from '../users/access-tab.ts'
import { dealerRoutes } from '../users/dealers/routes.ts'
import { invitationOf } from '../users/invitations/invitation.ts'
import { mayInvite } from '../users/invitations/tab.ts'
import { staffRoutes } from '../users/routes.ts'
import { activeSessions, mayEndSessions } from '../users/sessions.ts'
import type { User } from '../users/user.ts'
import type { UserType } from '../users/user-type.ts'
import { agreedTerms, fold, type Property } from './details.ts'
import { viewOfManagers } from './managers.ts'
import { finishedOrders, viewOfOrders } from './orders.ts'

/** People, with what orders and companies say of them, of which their own module knows nothing. */
export async function dealerOverviewRoutes(app: FastifyInstance): Promise<void> {
  dealerRoutes(app, overview)
}

export async function staffOverviewRoutes(app: FastifyInstance): Promise<void> {
  staffRoutes(app, overview)
}

const overviewPage = template<CardFrame & ReturnType<typeof viewOfOverview>>('overviews/person.njk')

const overview = cardPart(overviewPage, viewOfOverview)

/** A person as one reads them. How to reach them stands in the heading. */
function viewOfOverview(request: FastifyRequest, user: User) {
  const userType = request.server.registry.userTypes.get(user.group_id) as UserType
  return {
    orders: user.group_id === group.dealer ? viewOfOrders(request, 'dealer', user.id) : undefined,
    finished: user.group_id === group.dealer ? finishedOrders(request, 'dealer', user.id) : [],
    companies: user.group_id === group.manager ? viewOfCompanies(request, user) : undefined,
    ...(user.group_id === group.dealer ? viewOfCompany(request, user) : {}),
    signIn: viewOfSignIn(request, userType, user),
    access: viewOfAccess(request, userType, user),
  }
}

/** Who looks after a dealer, and what is agreed with their company, for those who may read that. */
function viewOfCompany(context: Context, dealer: User) {
  const { server, actor, t } = context
  const company = findCompany(server.db, dealer.company_id ?? 0)
  const contract = company && [company.contract_number, formatCalendarDate(company.contract_date)].filter(Boolean).join(', ')
  const terms =
    company && allows(companyAccess.view, actor, company)
      ? [{ label: t('Contract'), value: contract || t('No contract') }, ...agreedTerms(context, company)]
      : []
  return { managers: viewOfManagers(context, company, dealer), terms: fold(terms).properties }
}

const shown = 8

/** The companies of a manager that somebody sees in the list. */
function viewOfCompanies(context: Context, { id }: User) {
  const { server, actor } = context
  if (!allows(companyAccess.list, actor)) return undefined
  const list = companyList(server.db)
  const where = conditionOf(list, actor, { filters: { manager: String(id) } })
  const first = server.db.select({ id: companies.id }).from(companies).where(where).orderBy(companies.search, companies.id).limit(shown)
  const rows: CompanyRow[] = loadRows(
    context,
    list,
    first.all().map((company) => company.id),
  )
  return {
    address: `/companies?manager=${id}`,
    count: countUpToLimit(server.db, companies, where),
    balances: seesPrices(actor),
    rows: rows.map(({ id, org, open_orders, balance }) => ({ org, open_orders, balance, href: readingPath(context, 'companies', id) })),
  }
}

/** When somebody got in last, how they get in for those who may see to it, and an invitation for all who see it in the list. */
function viewOfSignIn({ server, actor, signIn, t }: FastifyRequest, userType: UserType, user: User): Property[] {
  const card = `/${userType.name}/edit/${user.id}`
  const invitation = invitationOf(server.db, user.id)
  const sessions = allows(mayEndSessions(userType), actor, user) ? activeSessions(server.db, user.id, signIn.sessionId).length : 0
  return [
    { label: t('Last sign-in'), value: formatDateTime(user.last_auth) || t('Never') },
    ...(invitation
      ? [
          {
            label: t(invitation.label),
            value: formatDateTime(invitation.at),
            href: allows(mayInvite(userType), actor, user) ? `${card}?tab=invitation` : undefined,
          },
        ]
      : []),
    ...(sessions > 0 ? [{ label: t('Sessions'), value: String(sessions), href: `${card}?tab=sessions` }] : []),
  ]
}

function viewOfAccess({ server, actor, t }: Context, userType: UserType, user: User) {
  if (!allows(accessRule(userType), actor, user)) return undefined
  const person = personReader(server.db)(user.id)
  const address = `/${userType.name}/edit/${user.id}?tab=access`
  return { address, properties: person?.active ? sumUpAccess(server.registry.menu, person, t) : [] }
}
