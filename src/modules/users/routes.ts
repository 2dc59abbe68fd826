import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf } from '../../core/access.ts'
import { create, save } from '../../web/card/save.ts'
import { showCreate, showEdit } from '../../web/card/show.ts'
import { avatarInputs } from '../../web/form/inputs.ts'
import type { MenuItem } from '../../web/http.ts'
import { deletionRoutes } from '../../web/list/deletion.ts'
import { exportList } from '../../web/list/export.ts'
import { showList } from '../../web/list/show.ts'
import type { List } from '../../web/list/state.ts'
import type { User } from './accounts.ts'
import { userCard } from './card.ts'
import { userDeletion } from './deletion.ts'
import { mayImpersonateGroup } from './impersonation.ts'
import { invitationRoutes } from './invitations/tab.ts'
import { searchTexts, userList } from './list.ts'
import { rightsRules } from './rights/access.ts'
import { createMissingRights } from './rights/rights.ts'
import { rightsRoutes } from './rights/routes.ts'
import { userSessionRoutes } from './sessions.ts'
import { toggleActive } from './toggle-active.ts'
import type { UserRow, UserType } from './user-type.ts'

function menuPermissions(userType: UserType): Required<MenuItem>['may'] {
  const tabs = (userType.tabs ?? []).map((tab) => [`tab.${tab.name}`, allOf(userType.may.view, tab.rule)])
  const rights = userType.rightsPolicy && { rights: rightsRules(userType, userType.rightsPolicy).edit }
  return { ...userType.may, ...Object.fromEntries(tabs), ...rights, impersonate: mayImpersonateGroup(userType.group) }
}

/** @returns the list, for what a type of user does with it besides */
export function userTypeRoutes(app: FastifyInstance, userType: UserType): List<UserRow> {
  const { paths, may, find: record } = userType
  const list = userList(app.db, userType)
  const deletion = userDeletion(userType, list)
  const card = userCard(userType)
  const avatars = avatarInputs(userType.form)
  app.userTypes.set(userType.group, userType)
  app.cards.push(card)
  app.menu.push({
    path: paths.list,
    label: userType.title,
    icon: userType.icon,
    group: 'People',
    rule: may.list,
    may: menuPermissions(userType),
  })

  app.searchSources.push({ list, icon: userType.icon, texts: searchTexts })

  app.get(paths.list, { access: may.list }, showList(list))
  app.get(`${paths.list}/export`, { access: may.list, answers: 'file' }, exportList(list))
  deletionRoutes(app, paths.delete, deletion)
  app.get(paths.add, { access: may.add }, showCreate(card))
  app.post(paths.add, { access: may.add, avatars }, create(card))
  app.get(paths.edit, { access: may.view, record }, openCard)
  app.post(paths.edit, { access: may.edit, record, avatars }, save(card))
  app.post(paths.active, { access: may.switch, record }, toggleActive(list, userType))
  userSessionRoutes(app, userType)
  invitationRoutes(app, userType)
  if (userType.rightsPolicy && paths.rights) rightsRoutes(app, paths.rights, userType, userType.rightsPolicy)
  return list

  function openCard(request: FastifyRequest, reply: FastifyReply) {
    if (userType.rightsPolicy) createMissingRights(app.db, (request.record as User).id)
    return showEdit(card)(request, reply)
  }
}
