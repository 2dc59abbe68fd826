import type { FastifyRequest } from 'fastify'
import { users } from '../../database/schema/index.ts'
import type { Card } from '../../web/card/card.ts'
import type { FormPage } from '../../web/form/form.ts'
import { authorOf } from '../../web/http.ts'
import { abilitiesTab } from './abilities.ts'
import { isOneself } from './access.ts'
import { createAccount, personLabel, type User, updateAccount } from './accounts.ts'
import { toldOfPeople } from './fields.ts'
import type { Kind } from './kind.ts'
import { rightsTab } from './rights/tab.ts'

/** The create form and the card of one kind of people. */
export function kindCard(kind: Kind): Card<User> {
  return {
    list: kind.name,
    listTitle: kind.title,
    path: `/${kind.name}`,
    table: users,
    form: kind.form,
    may: kind.may,
    find: kind.find,
    newTitle: kind.newTitle,
    titleOf: personLabel,
    page: (request, user) => pageOf(kind, request, user),
    create: (request, input) => createAccount(request.server.db, kind, { ...input, ...kind.initial?.(request) }, authorOf(request)),
    save: (request, user, values) => updateAccount(request.server.db, kind, user, values, authorOf(request)),
    created: kind.created,
    told: toldOfPeople,
    tabs: [...(kind.rights ? [rightsTab(kind, kind.rights)] : []), ...(kind.tabs ?? []), abilitiesTab(kind)],
  }
}

function pageOf(kind: Kind, request: FastifyRequest, user?: User): FormPage {
  const choices = kind.choices(request, user)
  if (!user) return { mode: 'create', present: { active: true }, choices }
  return { mode: 'edit', present: { ...user }, choices, locked: lockedFields(request, user) }
}

/** Only a superadministrator makes superadministrators; nobody switches themselves off. */
function lockedFields({ actor }: FastifyRequest, user: User): Set<string> {
  const locked = new Set<string>()
  if (!actor.superadmin) locked.add('superadmin')
  if (isOneself(actor, user)) locked.add('active')
  return locked
}
