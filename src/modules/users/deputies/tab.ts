import { and, eq, gte, type SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, either, group, isGroup, owned } from '../../../core/access.ts'
import { addDays } from '../../../core/days.ts'
import { type Database, deputies, logRow, users } from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, ValidationFailed } from '../../../http/request/errors.ts'
import { parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { formatCalendarDate, today } from '../../../i18n/format.ts'
import { editPage } from '../../../records/card/show.ts'
import { choice, date, optionalToggle, toggle } from '../../../records/fields/index.ts'
import { type Entry, type FormState, formWithoutTable } from '../../../records/form/form.ts'
import { formSteps } from '../../../records/form/steps.ts'
import { type FormView, viewOfForm } from '../../../records/form/view.ts'
import type { Subordinate } from '../../../records/history/subordinates.ts'
import { type AnyCard, type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import { tellDeputy } from '../../notifications/queue.ts'
import { withoutImpersonation } from '../access.ts'
import { successorsOf } from '../managers/hand-over.ts'
import { viewOfHandOvers } from '../managers/handed-over.ts'
import { findUser, findUserInGroup, type User, userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'

const deputyRecords: Subordinate = {
  table: deputies,
  title: 'Deputies',
  fields: {
    manager_id: choice('Manager'),
    deputy_id: choice('Deputy'),
    first_day: date('From'),
    last_day: date('Until'),
    reading: toggle('Only reads'),
  },
  owners: [{ table: users, column: deputies.manager_id }],
}

const manager = alias(users, 'manager')
const deputy = alias(users, 'deputy')

function namedWhere(db: Database, condition: SQL) {
  const person = ({ id, lastname, name, middlename, active }: typeof manager | typeof deputy) => ({
    id,
    lastname,
    name,
    middlename,
    active,
  })
  const { id, first_day, last_day, reading } = deputies
  const day = today()
  return db
    .select({ id, first_day, last_day, reading, manager: person(manager), deputy: person(deputy) })
    .from(deputies)
    .innerJoin(manager, eq(manager.id, deputies.manager_id))
    .innerJoin(deputy, eq(deputy.id, deputies.deputy_id))
    .where(and(condition, gte(deputies.last_day, day)))
    .orderBy(deputies.first_day, deputies.id)
    .all()
    .map((row) => ({ ...row, begun: row.first_day <= day, paused: !row.manager.active || !row.deputy.active }))
}

/** Who is or will be the deputy of a manager. */
const deputiesNamed = (db: Database, manager_id: number) => namedWhere(db, eq(deputies.manager_id, manager_id))

/** Whose deputy somebody is or will be. */
const deputizedFor = (db: Database, deputy_id: number) => namedWhere(db, eq(deputies.deputy_id, deputy_id))

type NamedDeputy = ReturnType<typeof namedWhere>[number]

interface NewDeputy {
  deputy_id: number
  from: string
  until: string
  reading?: boolean
}

/** Names a deputy. Call it inside `write`. */
function nameDeputy({ server, author }: Context, manager: User, named: NewDeputy): void {
  const { db } = server
  const manager_id = manager.id
  const { deputy_id, from: first_day, until: last_day, reading = false } = named
  if (last_day < today()) throw new ValidationFailed({ until: 'Choose a day from today on.' })
  if (last_day < first_day) throw new ValidationFailed({ until: 'The last day is before the first one.' })
  const already = deputiesNamed(db, manager_id).find(({ deputy }) => deputy.id === deputy_id)
  if (already)
    throw new ValidationFailed({
      deputy_id: { message: 'Already named until {date}. End that first.', params: { date: formatCalendarDate(already.last_day) } },
    })
  const row = { manager_id, deputy_id, first_day, last_day, reading }
  const { id } = db
    .insert(deputies)
    .values({ ...row, created_at: Date.now() })
    .returning({ id: deputies.id })
    .get()
  const deputy = findUser(db, deputy_id) as User
  logRow(db, deputies, { action: 'create', id, label: userLabel(deputy), after: row }, author)
  tellDeputy(server, deputy, 'deputy-named', daysFor(manager, row), author)
}

/**
 * Ends what a deputy does for a manager: yesterday was the last day. Call it inside `write`.
 * @throws HttpError 409 for somebody who is not their deputy
 */
function endDeputy({ server, author }: Context, manager: User, deputy_id: number | undefined): void {
  const { db } = server
  const named = deputiesNamed(db, manager.id).find(({ deputy }) => deputy.id === deputy_id)
  if (!named) throw new HttpError(409, 'This deputy has ended already.')
  const { id, last_day } = named
  const deputy = findUser(db, named.deputy.id) as User
  const ended = { last_day: addDays(today(), -1) }
  db.update(deputies).set(ended).where(eq(deputies.id, id)).run()
  logRow(db, deputies, { action: 'update', id, label: userLabel(deputy), before: { last_day }, after: ended }, author)
  tellDeputy(server, deputy, 'deputy-ended', daysFor(manager, { ...named, ...ended }), author)
}

/** For whom and on which days: what is over before it began has none. */
function daysFor(manager: User, { first_day, last_day }: { first_day: string; last_day: string }): string {
  const days = last_day < first_day ? [] : [`${formatCalendarDate(first_day)} – ${formatCalendarDate(last_day)}`]
  return [userLabel(manager), ...days].join(', ')
}

interface DeputiesTab {
  /** Those of this person. */
  named: NamedDeputy[]
  /** Those whose deputy this person is. */
  others: NamedDeputy[]
  deputyForm: FormView
  path: string
  handOvers: ReturnType<typeof viewOfHandOvers>
}

const deputiesPage = template<CardFrame & DeputiesTab>('users/deputies.njk')

const deputyForm = formWithoutTable([
  {
    title: 'New deputy',
    fields: {
      deputy_id: choice('Deputy', { required: true }),
      from: date('From', { required: true }),
      until: date('Until', { required: true, hint: 'The last day' }),
      reading: optionalToggle('Only reads', {
        hint: 'For trainees: sees these companies with their orders, changes nothing, and is not notified',
      }),
    },
  },
])

const stateOf = ({ server }: Context, { id }: User): FormState => ({
  mode: 'create',
  stored: { from: today() },
  choices: { deputy_id: successorsOf(server.db, [id]) },
})

function viewOfDeputies(context: Context, user: User, entry?: Entry): DeputiesTab {
  const { server, t } = context
  return {
    named: deputiesNamed(server.db, user.id),
    others: deputizedFor(server.db, user.id),
    deputyForm: viewOfForm(deputyForm, stateOf(context, user), t, entry),
    path: url(server, `/managers/edit/${user.id}/deputies`),
    handOvers: viewOfHandOvers(context, user),
  }
}

const tab = {
  name: 'deputies',
  label: 'Deputies',
  ...cardPart(deputiesPage, (request: FastifyRequest, user: User) => viewOfDeputies(request, user)),
}

/** Of the card of a manager. */
export const deputiesTab = (may: Pick<UserType['may'], 'edit'>): Tab<User> => ({ ...tab, rule: may.edit })

const managersSelf = owned<User>('your own deputies', (actor, { id }) => id === actor.id)

/** Of a manager's own profile. */
export const ownDeputiesTab: Tab<User> = {
  ...tab,
  rule: allOf<User>(anyOf(isGroup(group.manager, managersSelf)), withoutImpersonation),
}

type ShowAgain = (request: FastifyRequest, reply: FastifyReply, more: DeputiesTab) => FastifyReply

/** @param showOwn the profile with this tab, and what is wrong with what was typed there */
export function deputyRoutes(app: FastifyInstance, may: Pick<UserType['may'], 'edit'>, showOwn: ShowAgain): void {
  app.registry.subordinates.push(deputyRecords)
  const options = { access: either<User>(ownDeputiesTab.rule, may.edit), record: findUserInGroup(group.manager) }
  const path = '/managers/edit/:id/deputies'
  app.post(path, action(options, nameSteps(showOwn)))
  app.post(`${path}/:deputy/end`, action(options, end))
}

const nameSteps = (showOwn: ShowAgain) =>
  formSteps({
    form: deputyForm,
    mode: 'create',
    state: stateOf,
    save(request, values, user: User) {
      nameDeputy(request, user, values)
      return doneAt(request, user, 'Deputy named')
    },
    showAgain: (request, reply, user, entry) => {
      const shown = viewOfDeputies(request, user, entry)
      if (user.id === request.actor.id) return showOwn(request, reply, shown)
      const card = request.server.records.get('managers')?.card as AnyCard
      return editPage(request, reply, card, user, { more: shown, tab: tab.name })
    },
  })

function end(request: FastifyRequest, user: User): Done {
  const { deputy } = request.params as { deputy: string }
  endDeputy(request, user, parseId(deputy))
  return doneAt(request, user, 'Deputizing ended')
}

/** Managers see their own deputies on their profile. */
function doneAt({ server, actor }: Context, user: User, message: string): Done {
  const page = user.id === actor.id ? '/profile' : `/managers/edit/${user.id}`
  return { location: url(server, `${page}?tab=${tab.name}`), message: [message, { name: userLabel(user) }] }
}
