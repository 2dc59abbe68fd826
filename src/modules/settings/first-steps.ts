import { eq, like } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { allows, group } from '../../core/access.ts'
import { companies, orders, products, seeded } from '../../database/index.ts'
import { action, type Done } from '../../http/action.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import type { Message } from '../../http/request/flash.ts'
import { bodyOf } from '../../http/request/input.ts'
import { organizationName } from '../../http/request/organization.ts'
import { fragment, template } from '../../http/request/template.ts'
import { mailFailure } from '../../http/send-mail.ts'
import { mayChangeSettings } from './card.ts'
import { hasRows, hasUsers, laterSteps, neededSteps, type Step } from './steps-to-first-order.ts'

const mark = 'first step: '

const marked: readonly string[] = ['mail', 'time-zone', 'workflow', 'dismiss']

const postponed = (step: string) => `later ${step}`

interface FirstSteps {
  imports: { label: string; href: string }[]
  next: (Step & { isSkipped: boolean }) | undefined
  /** Whether another step can come first. */
  mayWait: boolean
  /** What the first order needs beside the next step, and what can come after it. */
  needed: Step[]
  later: Step[]
  done: Step[]
  /** Of what the first order needs. */
  progress: { done: number; all: number; minutes: number }
  hasOrder: boolean
}

const widget = template<{ widget: FirstSteps | undefined }>('settings/first-steps.njk')

export function addFirstSteps(app: FastifyInstance): void {
  app.registry.followUps.push(followUp)
  app.registry.widgets.push({ rule: mayChangeSettings, place: 'due', ...fragment(widget, (request) => ({ widget: viewOfSteps(request) })) })
  app.post('/first-steps', action({ access: mayChangeSettings }, { prepare: sendTestMail, perform: completeStep }))
}

/** The steps up to the first order; then, unless it was there before the steps were, that it is there, until they put that away. */
function viewOfSteps(context: Context): FirstSteps | undefined {
  const { server: app } = context
  const marks = marksOf(app)
  const hasOrder = hasRows(app, orders)
  if (app.sample || marks.has('dismiss') || (hasOrder && marks.size === 0)) return undefined
  const needed = neededSteps(context, hasOrder)
  const later = laterSteps(context, marks)
  const isSkipped = ({ name }: Step) => marks.has(postponed(name))
  const [open, afterwards] = [needed, later].map((steps) => skippedLast(steps.filter(isOpen), isSkipped)) as [Step[], Step[]]
  const [next, ...others] = [...open, ...afterwards]
  return {
    imports: importsOf(app),
    next: next && { ...next, isSkipped: isSkipped(next) },
    mayWait: (open.length ? open : afterwards).filter((step) => !isSkipped(step)).length > 1,
    needed: others.filter((step) => open.includes(step)),
    later: others.filter((step) => afterwards.includes(step)),
    done: [...needed, ...later].filter((step) => !isOpen(step)),
    progress: { done: needed.length - open.length, all: needed.length, minutes: open.reduce((sum, { minutes }) => sum + minutes, 0) },
    hasOrder,
  }
}

const isOpen = ({ done }: Step) => !done

const skippedLast = (steps: Step[], isSkipped: (step: Step) => boolean) => [
  ...steps.filter((step) => !isSkipped(step)),
  ...steps.filter(isSkipped),
]

/** The next of the steps to the first order, on every page until it is there: none that they have put off, nor where they take another. */
function followUp(request: FastifyRequest) {
  const { server, actor, t } = request
  if (!allows(mayChangeSettings, actor) || hasRows(server, orders)) return undefined
  const { next, progress, needed = [], later = [] } = viewOfSteps(request) ?? {}
  if (!next || !progress || next.isSkipped) return undefined
  const isHere = ({ href }: Step) => pathOf(href) === pathOf(request.url)
  if (!isHere(next) && [...needed, ...later].some(isHere)) return undefined
  const label = t(next.label)
  const step = label.charAt(0).toLowerCase() + label.slice(1)
  const text = t('Step {number} of {all}: {step}', { number: progress.done + 1, all: progress.all, step })
  return { text, href: isHere(next) ? undefined : next.href }
}

const pathOf = (address: string) => address.split(/[?#]/)[0]

/** What somebody has in a spreadsheet already need not be typed. */
function importsOf(app: FastifyInstance) {
  const lists = [
    { isEmpty: !hasRows(app, products), label: 'Import products', href: '/products/import' },
    { isEmpty: !hasRows(app, companies), label: 'Import companies', href: '/companies/import' },
    { isEmpty: !hasUsers(app, group.dealer), label: 'Import dealers', href: '/dealers/import' },
  ]
  return lists.flatMap(({ isEmpty, label, href }) => (isEmpty ? { label, href: url(app, href) } : []))
}

function marksOf({ db }: FastifyInstance): ReadonlySet<string> {
  const isMark = like(seeded.name, `${mark}%`)
  const rows = db.select().from(seeded).where(isMark).all()
  return new Set(rows.map(({ name }) => name.slice(mark.length)))
}

/** `step` is done, put away, or to be shown again; `later` is one that others come before. */
function completeStep(request: FastifyRequest): Done {
  const { server: app } = request
  const step = bodyOf(request).get('step') ?? ''
  const later = bodyOf(request).get('later') ?? ''
  if (step === 'show')
    app.db
      .delete(seeded)
      .where(eq(seeded.name, `${mark}dismiss`))
      .run()
  else if (marked.includes(step)) addMark(app, step)
  else if ([...neededSteps(request, false), ...laterSteps(request, new Set())].some(({ name }) => name === later))
    addMark(app, postponed(later))
  else throw new HttpError(422, 'Choose a value from the list.')
  return { location: url(app, '/'), message: describeCompleted(request, step) }
}

function addMark({ db }: FastifyInstance, name: string): void {
  db.insert(seeded)
    .values({ name: mark + name, at: Date.now() })
    .onConflictDoNothing()
    .run()
}

function describeCompleted({ server, actor }: FastifyRequest, step: string): Message | undefined {
  if (step === 'mail') return ['Test email sent to {email}', { email: actor.email }]
  if (step === 'dismiss') return ['First steps are hidden', {}, { undo: { action: url(server, '/first-steps'), fields: { step: 'show' } } }]
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
    throw new HttpError(422, 'The mail server rejected the test email. Have the server address and the sender checked.')
  }
}
