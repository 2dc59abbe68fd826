import { eq, like } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { categories, companies, findSettings, manufactures, orders, products, seeded, stocks, users } from '../../database/index.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { bodyOf } from '../../http/request/input.ts'
import { organizationName } from '../../http/request/organization.ts'
import { fragment, template } from '../../http/request/template.ts'
import { mailFailure } from '../../http/send-mail.ts'
import { mayChangeSettings } from './card.ts'

const mark = 'first step: '

const marked: readonly string[] = ['mail', 'time-zone', 'workflow', 'dismiss']

interface Step {
  name: string
  label: string
  href: string
  done: boolean
  button?: string
  /** Where a sheet of them is imported. */
  sheet?: string
}

const widget = template<{ widget: { steps: Step[]; done: number } | undefined }>('settings/first-steps.njk')

export function addFirstSteps(app: FastifyInstance): void {
  app.widgets.push({ rule: mayChangeSettings, place: 'top', ...fragment(widget, (request) => ({ widget: viewOfSteps(request) })) })
  app.post('/first-steps', action({ access: mayChangeSettings }, { prepare: sendTestMail, perform: completeStep }))
}

function viewOfSteps({ server: app }: Context) {
  const marks = marksOf(app)
  if (app.sample || marks.has('dismiss') || hasRows(app, orders)) return undefined
  const steps = stepsOf(app, marks)
  const done = steps.filter((step) => step.done).length
  return done === steps.length ? undefined : { steps, done }
}

function stepsOf(app: FastifyInstance, marks: ReadonlySet<string>): Step[] {
  const managers = app.db.select({ id: users.id }).from(users).where(eq(users.group_id, group.manager)).limit(1).all()
  const environment = '/settings?tab=environment'
  return [
    { name: 'name', label: 'Name your organization', href: '/settings', done: findSettings(app.db).name !== null },
    {
      name: 'mail',
      label: app.sendMail ? 'Send yourself a test email' : 'Set up email',
      href: environment,
      done: marks.has('mail'),
      button: app.sendMail ? 'Send' : undefined,
    },
    { name: 'time-zone', label: 'Check the time zone', href: environment, done: marks.has('time-zone'), button: 'Looks good' },
    { name: 'stock', label: 'Add a warehouse', href: '/stocks/add', done: hasRows(app, stocks) },
    { name: 'site', label: 'Add a production site', href: '/manufactures/add', done: hasRows(app, manufactures) },
    { name: 'category', label: 'Add product categories', href: '/categories/add', done: hasRows(app, categories) },
    ...(findSettings(app.db).catalog
      ? [
          {
            name: 'product',
            label: 'Add products with prices',
            href: '/products/add',
            sheet: '/products/import',
            done: hasRows(app, products),
          },
        ]
      : []),
    { name: 'company', label: 'Add the first company', href: '/company/add', sheet: '/companies/import', done: hasRows(app, companies) },
    { name: 'manager', label: 'Add the first manager', href: '/managers/add', done: managers.length > 0 },
    { name: 'workflow', label: 'Review the order workflow', href: '/statuses', done: marks.has('workflow'), button: 'Looks good' },
  ].map((step) => ({ ...step, href: url(app, step.href) }))
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
