import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, anyOf, either, group, isGroup, owned } from '../../../core/access.ts'
import { action, type Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { parseId } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { today } from '../../../i18n/format.ts'
import { editPage } from '../../../records/card/show.ts'
import { choice, date, optionalToggle } from '../../../records/fields/index.ts'
import { type Entry, type FormState, formWithoutTable } from '../../../records/form/form.ts'
import { formAction } from '../../../records/form/form-action.ts'
import { type FormView, viewOfForm } from '../../../records/form/view.ts'
import { type AnyCard, type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import { withoutImpersonation } from '../access.ts'
import { successorsOf } from '../managers/hand-over.ts'
import { viewOfHandOvers } from '../managers/handed-over.ts'
import { mayHandOver } from '../managers/may-hand-over.ts'
import { findUserInGroup, type User, userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { deputiesNamed, deputizedFor, deputyRecords, endDeputy, type NamedDeputy, nameDeputy } from './deputy.ts'

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
      deputy_id: choice('Deputy', { required: true, missing: 'Choose a deputy.' }),
      from: date('From', { required: true, missing: 'Enter the first day.' }),
      until: date('Until', { required: true, missing: 'Enter the last day.', hint: 'The last day' }),
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

/** A deputy has all companies of a manager, as somebody has to whom they are handed over. */
const mayName = (may: Pick<UserType['may'], 'edit'>) => allOf(may.edit, mayHandOver)

/** Of the card of a manager. */
export const deputiesTab = (may: Pick<UserType['may'], 'edit'>): Tab<User> => ({ ...tab, rule: mayName(may) })

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
  const options = { access: either<User>(ownDeputiesTab.rule, mayName(may)), record: findUserInGroup(group.manager) }
  const path = '/managers/edit/:id/deputies'
  app.post(path, action(options, deputyAction(showOwn)))
  app.post(`${path}/:deputy/end`, action(options, end))
}

const deputyAction = (showOwn: ShowAgain) =>
  formAction({
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
