import { and, eq, like, lte } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows, type Group, group } from '../../core/access.ts'
import {
  categories,
  companies,
  findSettings,
  manufactures,
  orders,
  productPrices,
  products,
  seeded,
  stocks,
  users,
} from '../../database/index.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { organizationName } from '../../http/request/organization.ts'
import { fragment, template } from '../../http/request/template.ts'
import { mailFailure } from '../../http/send-mail.ts'
import { today } from '../../i18n/format.ts'
import type { FollowUp } from '../../view/shell.ts'
import { mayChangeSettings } from './card.ts'

const mark = 'first step: '

const marked: readonly string[] = ['mail', 'time-zone', 'workflow', 'dismiss']

interface Step {
  name: string
  label: string
  /** What it is good for. */
  description: string
  /** How long it takes. */
  minutes: number
  href: string
  done: boolean
  button?: string
}

interface FirstSteps {
  imports: { label: string; href: string }[]
  /** Missing once there is an order. */
  next: Step | undefined
  later: Step[]
  done: Step[]
  all: number
}

const widget = template<{ widget: FirstSteps | undefined }>('settings/first-steps.njk')

export function addFirstSteps(app: FastifyInstance): void {
  app.registry.followUps.push(followUp)
  app.registry.widgets.push({ rule: mayChangeSettings, place: 'top', ...fragment(widget, (request) => ({ widget: viewOfSteps(request) })) })
  app.post('/first-steps', action({ access: mayChangeSettings }, { prepare: sendTestMail, perform: completeStep }))
}

/** The steps up to the first order; then, for those who have gone by them, that it is there, until they put that away. */
function viewOfSteps({ server: app }: Context): FirstSteps | undefined {
  const marks = marksOf(app)
  const hasOrder = hasRows(app, orders)
  if (app.sample || marks.has('dismiss') || (hasOrder && marks.size === 0)) return undefined
  const steps = stepsOf(app, marks, hasOrder)
  const open = steps.filter(({ done }) => !done)
  const later = hasOrder ? open : open.slice(1)
  return {
    imports: hasOrder ? [] : importsOf(app),
    next: hasOrder ? undefined : open[0],
    later,
    done: steps.filter(({ done }) => done),
    all: steps.length,
  }
}

/** The next of the steps, for whoever has just saved something. */
function followUp(context: Context): FollowUp | undefined {
  const { actor, t } = context
  const { next, done, all } = (allows(mayChangeSettings, actor) && viewOfSteps(context)) || {}
  return (
    next && { text: t('Next: {step} ({number} of {all})', { step: t(next.label), number: (done?.length ?? 0) + 1, all }), href: next.href }
  )
}

/** What somebody has in a spreadsheet already need not be typed. */
function importsOf(app: FastifyInstance) {
  const lists = [
    { isEmpty: !hasRows(app, products), label: 'Products', href: '/products/import' },
    { isEmpty: !hasRows(app, companies), label: 'Companies', href: '/companies/import' },
    { isEmpty: !hasUsers(app, group.dealer), label: 'Dealers', href: '/dealers/import' },
  ]
  return lists.flatMap(({ isEmpty, label, href }) => (isEmpty ? { label, href: url(app, href) } : []))
}

function stepsOf(app: FastifyInstance, marks: ReadonlySet<string>, hasOrder: boolean): Step[] {
  const environment = '/settings?tab=environment'
  return [
    {
      name: 'name',
      label: 'Name your organization',
      description: 'Its name and logo stand on every page and in every email.',
      minutes: 1,
      href: '/settings#name',
      done: findSettings(app.db).name !== null,
    },
    {
      name: 'category',
      label: 'Add product categories',
      description: 'Categories group products, so that a company can have a discount for each.',
      minutes: 2,
      href: '/categories/add',
      done: hasRows(app, categories),
    },
    ...(findSettings(app.db).catalog ? [productStep(app)] : []),
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
      name: 'manager',
      label: 'Add the first manager',
      description: 'Managers look after companies with their dealers and move orders on.',
      minutes: 2,
      href: '/managers/add',
      done: hasUsers(app, group.manager),
    },
    {
      name: 'company',
      label: 'Add the first company',
      description: 'Companies are the organizations that dealers order for: with a contract, discounts, and a manager.',
      minutes: 3,
      href: '/company/add',
      done: hasRows(app, companies),
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
      href: environment,
      done: marks.has('mail'),
      button: app.sendMail ? 'Send' : undefined,
    },
    {
      name: 'time-zone',
      label: 'Check the time zone',
      description: 'Days of orders and payments begin and end by it.',
      minutes: 1,
      href: environment,
      done: marks.has('time-zone'),
      button: 'Looks good',
    },
    {
      name: 'order',
      label: 'Place the first order',
      description: 'As a dealer would: choose the dealer and the products. Then move it on, as your colleagues will.',
      minutes: 3,
      href: '/orders/add',
      done: hasOrder,
    },
  ].map((step) => ({ ...step, href: url(app, step.href) }))
}

const productStep = (app: FastifyInstance) => ({
  name: 'product',
  label: 'Add products with prices',
  description: 'Products are what orders are made of: with a price, a unit, and a category, which gives companies their discounts.',
  minutes: 5,
  href: '/products/add',
  done: hasPricedProduct(app),
})

/** Whether dealers find a product to order. */
function hasPricedProduct({ db }: FastifyInstance): boolean {
  const { product_id, from } = productPrices
  const priced = db.select({ id: products.id }).from(products).innerJoin(productPrices, eq(product_id, products.id))
  return (
    priced
      .where(and(eq(products.active, true), lte(from, today())))
      .limit(1)
      .all().length > 0
  )
}

function hasUsers({ db }: FastifyInstance, group_id: Group): boolean {
  return db.select({ id: users.id }).from(users).where(eq(users.group_id, group_id)).limit(1).all().length > 0
}

function hasRows({ db }: FastifyInstance, table: SQLiteTable): boolean {
  return db.select().from(table).limit(1).all().length > 0
}

function marksOf({ db }: FastifyInstance): ReadonlySet<string> {
  const isMark = like(seeded.name, `${mark}%`)
  const rows = db.select().from(seeded).where(isMark).all()
  return new Set(rows.map(({ name }) => name.slice(mark.length)))
}

function completeStep(request: FastifyRequest): Done {
  const { server: app, actor } = request
  const step = bodyOf(request).get('step') ?? ''
  if (!marked.includes(step)) throw new HttpError(422, 'Choose a value from the list.')
  app.db
    .insert(seeded)
    .values({ name: mark + step, at: Date.now() })
    .onConflictDoNothing()
    .run()
  return { location: url(app, '/'), message: step === 'mail' ? ['Test email sent to {email}', { email: actor.email }] : undefined }
}

/** The step of the mail is done when one has arrived. */
async function sendTestMail(request: FastifyRequest): Promise<void> {
  const { server: app, actor, t } = request
  if (bodyOf(request).get('step') !== 'mail') return
  if (!app.sendMail) throw new HttpError(422, 'Email is not set up.')
  const subject = `${organizationName(app, t)}: ${t('Test email')}`
  try {
    await app.sendMail({ to: actor.email, subject, text: t('Email works.') })
  } catch (error) {
    request.log.warn(mailFailure(error), 'the test email was not sent')
    throw new HttpError(
      422,
      'The mail server rejected the test email. Check the server address and the sender in the environment variables.',
    )
  }
}
