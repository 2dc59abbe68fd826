import { eq, getTableName, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance } from 'fastify'
import { type Group, group } from '../../core/access.ts'
import { cachedUntilWrite, categories, companies, findSettings, manufactures, stocks, users } from '../../database/index.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { findUnpricedProduct, hasPricedProduct } from '../products/list-prices.ts'

export interface Step {
  name: string
  label: string
  /** What it is good for. */
  description: string
  /** How long it takes. */
  minutes: number
  href: string
  done: boolean
  /** What of it is not there yet. */
  lacks?: string
  button?: string
}

/** Without which nobody can place an order, in the order in which each makes the next possible; before them, who somebody is: an account of the environment has no name. */
export function neededSteps({ server: app, actor }: Context, hasOrder: boolean): Step[] {
  const known = findSettings(app.db)
  const isReached = known.contact_phone !== null || known.contact_email !== null || hasUsers(app, group.manager)
  return [
    {
      name: 'you',
      label: 'Enter your name',
      description: 'Colleagues and dealers see it beside what you do and write.',
      minutes: 1,
      href: '/profile#lastname',
      done: actor.name !== '',
    },
    {
      name: 'category',
      label: 'Add product categories',
      description: 'Categories group products, so that a company can have a discount for each.',
      minutes: 1,
      href: '/categories/add',
      done: hasRows(app, categories),
    },
    ...(known.catalog ? [productStep(app)] : []),
    {
      name: 'company',
      label: 'Add the first company',
      description: 'Companies are the organizations that dealers order for: with a contract, discounts, and a manager.',
      minutes: 3,
      href: '/company/add',
      done: hasRows(app, companies),
    },
    // Whom an invitation reaches is to read from whom it comes, and whom to ask while there is no manager.
    {
      name: 'name',
      label: known.name === null || isReached ? 'Name your organization' : 'Enter contacts for dealers',
      description:
        'Its name stands on every page and in every email, invitations included. Dealers without a manager see its phone or email.',
      minutes: 1,
      href: known.name === null ? '/settings#name' : '/settings#contact_phone',
      done: known.name !== null && isReached,
    },
    {
      name: 'dealer',
      label: 'Add the first dealer',
      description: 'Dealers read the news and place orders for the customers of their company.',
      minutes: 2,
      href: '/dealers/add',
      done: hasUsers(app, group.dealer),
    },
    {
      name: 'order',
      label: 'Place the first order',
      description: 'As a dealer would: choose the dealer and the products. Then move it on, as your colleagues will.',
      minutes: 3,
      href: '/orders/add',
      done: hasOrder,
    },
  ].map((step) => withAddress(app, step))
}

/** What can wait until orders are there. */
export function laterSteps({ server: app, t }: Context, marks: ReadonlySet<string>): Step[] {
  const environment = '/settings?tab=environment'
  const lacking = lackingDetails(app)
  return [
    managerStep(app),
    {
      name: 'details',
      label: 'Fill in your legal details',
      description: 'They stand in invoices and specifications, which cannot be issued without them.',
      minutes: 3,
      href: `/settings#${lacking[0] ?? 'legal_name'}`,
      done: lacking.length === 0,
      lacks: lacking.map((name) => t(requiredDetails[name])).join(', '),
    },
    {
      name: 'workflow',
      label: 'Review the order workflow',
      description: 'Statuses are the steps an order goes through, and say who moves it on.',
      minutes: 5,
      href: '/statuses',
      done: marks.has('workflow'),
      button: 'Looks good',
    },
    {
      name: 'mail',
      label: app.sendMail ? 'Send yourself a test email' : 'Set up email',
      description: 'Invitations and news of orders go out by email.',
      minutes: app.sendMail ? 1 : 5,
      href: `${environment}#mail`,
      done: marks.has('mail'),
      button: app.sendMail ? 'Send' : undefined,
    },
    {
      name: 'stock',
      label: 'Add a warehouse',
      description: 'Warehouses are where orders are stored until they are handed over; each company has one.',
      minutes: 1,
      href: '/stocks/add',
      done: hasRows(app, stocks),
    },
    {
      name: 'site',
      label: 'Add a production site',
      description: 'Production sites are where orders are made; each company has one.',
      minutes: 1,
      href: '/manufactures/add',
      done: hasRows(app, manufactures),
    },
    {
      name: 'production',
      label: 'Add somebody in production',
      description: 'They see what is to be made at their site, and move orders on once it is.',
      minutes: 2,
      href: '/productions/add',
      done: hasUsers(app, group.production),
    },
    {
      name: 'time-zone',
      label: 'Check the time zone',
      description: 'Days of orders and payments begin and end by it.',
      minutes: 1,
      href: `${environment}#time-zone`,
      done: marks.has('time-zone'),
      button: 'Looks good',
    },
  ].map((step) => withAddress(app, step))
}

const withAddress = (app: FastifyInstance, step: Step): Step => ({ ...step, href: url(app, backToSteps(step.href)) })

/** Whoever fills in a form on the way goes on with the steps. */
function backToSteps(href: string): string {
  const [path, place] = href.split('#') as [string, string | undefined]
  const isForm = /\/(add|edit\/\d+|settings)$/.test(path) && path !== '/orders/add'
  return isForm ? `${path}?then=home${place ? `#${place}` : ''}` : href
}

function productStep({ db }: FastifyInstance): Step {
  const done = hasPricedProduct(db)
  const unpriced = done ? undefined : findUnpricedProduct(db)
  if (unpriced) return { name: 'product', ...missingPrice, minutes: 1, href: `/products/edit/${unpriced}#prices`, done }
  return {
    name: 'product',
    label: 'Add products with prices',
    description: 'Products are what orders are made of: with a price, a unit, and a category, which gives companies their discounts.',
    minutes: 3,
    href: '/products/add',
    done,
  }
}

const missingPrice = {
  label: 'Enter the missing price',
  description: 'There is a product, but nobody can order it until it has a price that is valid today.',
}

/** Once there is a manager: a company to look after, whose dealers then know whom to call. */
function managerStep(app: FastifyInstance): Step {
  const { id, manager_id } = companies
  const company = app.db.select({ id, manager_id }).from(companies).orderBy(sql`${manager_id} is null`, id).limit(1).get()
  if (company?.manager_id === null && hasUsers(app, group.manager))
    return { name: 'manager', ...missingManager, minutes: 1, href: `/company/edit/${company.id}#manager_id`, done: false }
  return {
    name: 'manager',
    label: 'Add the first manager',
    description: 'Managers look after companies with their dealers and move orders on.',
    minutes: 2,
    href: '/managers/add',
    done: hasUsers(app, group.manager),
  }
}

const missingManager = {
  label: 'Assign a manager to the company',
  description: 'Its dealers then see whom to call, and the manager sees their orders.',
}

/** Of the organization: what its invoices cannot do without. */
const requiredDetails = {
  ...{ legal_name: 'Full legal name', inn: 'INN', legal_address: 'Legal address' },
  ...{ bank: 'Bank', bik: 'BIK', rs: 'Bank account' },
} as const

export function lackingDetails({ db }: FastifyInstance) {
  const known = findSettings(db)
  return (Object.keys(requiredDetails) as (keyof typeof requiredDetails)[]).filter((name) => !known[name])
}

export function hasUsers({ db }: FastifyInstance, group_id: Group): boolean {
  return db.select({ id: users.id }).from(users).where(eq(users.group_id, group_id)).limit(1).all().length > 0
}

export function hasRows({ db }: FastifyInstance, table: SQLiteTable): boolean {
  return cachedUntilWrite(db, `has ${getTableName(table)}`, () => db.select({ one: sql`1` }).from(table).limit(1).all().length > 0)
}
