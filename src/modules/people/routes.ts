import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { all } from '../../core/access.ts'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { create, save } from '../../web/card/submit.ts'
import { avatarInputs } from '../../web/form/inputs.ts'
import type { MenuItem } from '../../web/http.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { totalOf } from '../../web/list/rows.ts'
import { showList } from '../../web/list/show.ts'
import type { List } from '../../web/list/state.ts'
import type { User } from './accounts.ts'
import { kindCard } from './card.ts'
import { kindDeletion } from './deletion.ts'
import { mayImpersonateGroup } from './impersonation.ts'
import type { Kind, PersonRow } from './kind.ts'
import { kindList } from './list.ts'
import { rightsRules } from './rights/access.ts'
import { completeRights } from './rights/policies.ts'
import { rightsRoutes } from './rights/routes.ts'
import { toggleActive } from './toggle.ts'

/** Everything that can be done with a kind of people, tabs and signing in as one of them included. */
function actionsOf(kind: Kind): Required<MenuItem>['may'] {
  const tabs = (kind.tabs ?? []).map((tab) => [`tab.${tab.name}`, all(kind.may.view, tab.rule)])
  const rights = kind.rights && { rights: rightsRules(kind, kind.rights).edit }
  return { ...kind.may, ...Object.fromEntries(tabs), ...rights, impersonate: mayImpersonateGroup(kind.group) }
}

/** The addresses that all four kinds of people have. */
export function kindRoutes(app: FastifyInstance, kind: Kind): List<PersonRow> {
  const { name, may, find: record } = kind
  const list = kindList(app.db, kind)
  const deletion = kindDeletion(kind, list)
  const card = kindCard(kind)
  const avatars = avatarInputs(kind.form)
  app.kinds.set(kind.group, kind)
  app.cards.push(card)
  app.menu.push({
    path: `/${name}`,
    label: kind.title,
    icon: kind.icon,
    rule: may.list,
    may: actionsOf(kind),
    total: totalOf(app.db, list),
  })

  app.get(`/${name}`, { access: may.list }, showList(list))
  deletionRoutes(app, deletion)
  app.get(`/${name}/add`, { access: may.add }, showCreate(card))
  app.post(`/${name}/add`, { access: may.add, avatars }, create(card))
  app.get(`/${name}/edit/:id`, { access: may.view, record }, openCard)
  app.post(`/${name}/edit/:id`, { access: may.edit, record, avatars }, save(card))
  app.post(`/${name}/:id/active`, { access: may.switch, record }, toggleActive(list))
  if (kind.rights) rightsRoutes(app, kind, kind.rights)
  return list

  function openCard(request: FastifyRequest, reply: FastifyReply) {
    if (kind.rights) completeRights(app.db, (request.record as User).id)
    return showEdit(card)(request, reply)
  }
}
