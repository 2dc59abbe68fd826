import { readFile } from 'node:fs/promises'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allOf, group as groups } from '../../core/access.ts'
import { namesFile } from '../../database/file-columns.ts'
import { companies, type Database, logSecurityEvent, orders, prepareOnce, secondFactors, users, whereIn } from '../../database/index.ts'
import { action } from '../../http/action.ts'
import type { Context } from '../../http/request/context.ts'
import { fileForbidden, notFound } from '../../http/request/errors.ts'
import { paramOf } from '../../http/request/input.ts'
import { findPicture } from '../../http/uploads/folder.ts'
import { hasUploaded } from '../../http/uploads/uploaded.ts'
import { editPage } from '../../records/card/show.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import { addRecord } from '../../records/record.ts'
import type { MenuItem } from '../../view/shell.ts'
import { accessRequestRoutes } from './access-requests/routes.ts'
import { ensureSuperadministratorRemains } from './accounts.ts'
import { guardAdministrator } from './administrators.ts'
import { tokenRecords } from './api-tokens/api-token.ts'
import { userTokenRoutes } from './api-tokens/tab.ts'
import { userCard } from './card.ts'
import { impersonationRoutes, mayImpersonateGroup } from './impersonation.ts'
import { bulkInvitationRoutes } from './invitations/bulk-invitation.ts'
import { invitationRoutes } from './invitations/tab.ts'
import { toggleActive, userList } from './list.ts'
import { handOverRoutes } from './managers/hand-over.ts'
import { rightsRules } from './rights/access.ts'
import { permissionSetRoutes } from './rights/permission-sets.ts'
import { createMissingRights } from './rights/rights.ts'
import { rightsRoutes } from './rights/routes.ts'
import { userSessionRoutes } from './sessions.ts'
import { staffTypes } from './staff.ts'
import { type User, userLabel } from './user.ts'
import type { UserType } from './user-type.ts'

/** @param overview what companies, which lie above, say of managers besides */
export function staffRoutes(app: FastifyInstance, overview: UserType['overview']): void {
  const { managers, ...others } = staffTypes(app)
  const userTypes = [managers, ...Object.values(others)].map((userType) => ({ ...userType, overview }))
  for (const userType of userTypes) userTypeRoutes(app, userType)
  handOverRoutes(app, managers)
  app.registry.subordinates.push(tokenRecords)
  accessRequestRoutes(app, userTypes)
  permissionSetRoutes(app)
  impersonationRoutes(app)
  avatarRoutes(app)
}

export function userTypeRoutes(app: FastifyInstance, userType: UserType, list = userList(app.db, userType)): void {
  const { name, icon, letter, group, may, find: record, imports, api, rightsPolicy } = userType
  const card = userCard(userType)
  app.registry.userTypes.set(group, userType)
  const says = group === groups.dealer ? [] : ['staff, employees']
  const menu = { icon, letter, section: 'People', says, may: menuPermissions(userType) } as const
  const deletion = userDeletion(userType)
  addRecord(app, { list, card, deletion, search: { texts: searchTexts, labels: textLabels }, imports, api, menu }, { show: openCard })
  app.post(`/${name}/:id/active`, action({ access: may.switch, record }, toggleActive(list, userType)))
  userSessionRoutes(app, userType)
  userTokenRoutes(app, userType)
  invitationRoutes(app, userType)
  bulkInvitationRoutes(app, userType, list)
  if (rightsPolicy) rightsRoutes(app, userType, rightsPolicy)

  function openCard(request: FastifyRequest, reply: FastifyReply, user: User) {
    if (rightsPolicy) createMissingRights(app.db, user.id)
    return editPage(request, reply, card, user)
  }
}

function menuPermissions(userType: UserType): Required<MenuItem>['may'] {
  const tabs = (userType.tabs ?? []).map((tab) => [`tab.${tab.name}`, allOf(userType.may.view, tab.rule)])
  const rights = userType.rightsPolicy && { rights: rightsRules(userType, userType.rightsPolicy).edit }
  return { ...userType.may, ...Object.fromEntries(tabs), ...rights, impersonate: mayImpersonateGroup(userType.group) }
}

/** Deleting and restoring must be no way around two-step verification, nor look like one. */
function logFactors({ server: { db }, author }: Context, ids: number[], detail: string): void {
  const theirs = and(whereIn(users.id, ids), inArray(users.id, db.select({ id: secondFactors.user_id }).from(secondFactors)))
  for (const user of db.select().from(users).where(theirs).all()) logSecurityEvent(db, { event: 'factor-changed', author, user, detail })
}

function userDeletion(userType: UserType): DeletionPart<User> {
  const { factsOf, question, done, single, deletion } = userType
  return {
    factsOf,
    single,
    question,
    done,
    consequences: [
      ['{count} orders will have no dealer.', orders.dealer_id],
      ['{count} companies will have no manager.', companies.manager_id],
      ['{count} dealers will have no manager.', users.manager_id],
    ],
    ...deletion,
    before: (context, ids, body) => {
      ensureSuperadministratorRemains(context.server.db, ids)
      const obstacle = deletion?.before?.(context, ids, body)
      if (!obstacle) logFactors(context, ids, 'kept with the deleted account')
      return obstacle
    },
    restored: (context, ids) => {
      for (const user of context.server.db.select().from(users).where(whereIn(users.id, ids)).all())
        guardAdministrator(context, user, 'administrator-added')
      logFactors(context, ids, 'back with the restored account')
    },
    restoreConflicts: (db, rows) =>
      rows
        .filter((row) => isEmailTaken(db, row.email as string))
        .map((row) => ({ reason: 'taken', label: userLabel(row), table: 'users', columns: ['email'] })),
  }
}

/** Compares trimmed and without case. Imported data may hold duplicates, which rules out a unique index. */
function isEmailTaken(db: Database, email: string): boolean {
  return byEmail(db).get({ email }) !== undefined
}

const byEmail = prepareOnce((db, params) => {
  return db.select({ id: users.id }).from(users).where(eq(users.email, params.email)).limit(1).prepare()
})

function avatarRoutes(app: FastifyInstance): void {
  app.get('/avatars/:key/:size', { access: 'signed-in', answers: 'file' }, showAvatar)
}

async function showAvatar(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db, config } = request.server
  const key = paramOf(request, 'key')
  const size = paramOf(request, 'size')
  const path = findPicture(config.dataDir, 'avatar', key, size)
  if (!path) throw notFound()
  if (!byImage(db).get({ key }) && !hasUploaded(db, key, request.actor.id)) throw fileForbidden()
  reply.type('image/webp').header('Cache-Control', 'private, max-age=31536000, immutable')
  return reply.send(await readFile(path))
}

const byImage = prepareOnce((db, params) => {
  const { id, image } = users
  return db.select({ id }).from(users).where(namesFile(image, params.key)).limit(1).prepare()
})

const textLabels = { lastname: 'Name', company: 'Company', phone: 'Phone', email: 'Email', tg_id: 'Telegram' }

function searchTexts(ids: SQL): SQL {
  return sql`select ${users.id}, concat_ws(' ', ${users.lastname}, ${users.name}, ${users.middlename}), ifnull(${companies.org}, ${users.position}),
      ${users.phone}, ${users.email}, ${users.tg_id}
    from ${users} left join ${companies} on ${companies.id} = ${users.company_id} where ${users.id} in ${ids}`
}
