import { and, asc, count, eq, ne } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Actor, allows, anyOf, superadministrator } from '../../../core/access.ts'
import { permissionSetNameFor } from '../../../core/permission-sets.ts'
import type { PolicyKey } from '../../../core/policies.ts'
import { stripControlCharacters } from '../../../core/text.ts'
import { type Database, permissionSets, users } from '../../../database/index.ts'
import { action, type Done } from '../../../http/action.ts'
import { refererPath, safePath, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError } from '../../../http/request/errors.ts'
import { bodyOf } from '../../../http/request/input.ts'
import type { FindRecord } from '../../../http/request/route-policy.ts'
import type { Choice } from '../../../records/fields/index.ts'
import { type User, userLabel } from '../user.ts'
import type { UserType } from '../user-type.ts'
import { maySetRight, rightsRules } from './access.ts'
import { grantedKeys, type Right, rightsOf, setRights } from './rights.ts'

const peopleLimit = 200

type PermissionSet = typeof permissionSets.$inferSelect

const findSet: FindRecord<PermissionSet> = (db, id) => db.select().from(permissionSets).where(eq(permissionSets.id, id)).get()

/** How rights change when they become exactly these keys. Rights that the editor does not hold are withheld. */
export function diffRights(keys: ReadonlySet<string>, rights: Right[], editor: Actor) {
  const changed = rights.map((right) => ({ ...right, value: keys.has(right.key) })).filter(({ value }, at) => value !== rights[at]?.value)
  const allowed = changed.filter(({ key, value }) => maySetRight(editor, key, value))
  return {
    granted: allowed.filter(({ value }) => value),
    revoked: allowed.filter(({ value }) => !value),
    withheld: changed.filter((right) => !allowed.includes(right)),
  }
}

/** The permissions of the set, or of the person, that a form names. */
export function readChosenKeys({ server: { db }, actor }: Context, userType: UserType, body: URLSearchParams): ReadonlySet<PolicyKey> {
  if (body.has('set')) {
    const set = findSet(db, Number(body.get('set')))
    if (set) return new Set(set.keys)
  } else {
    const person = userType.find(db, Number(body.get('copy_from')))
    if (person && allows(rightsRules(userType, userType.rightsPolicy as PolicyKey).view, actor, person))
      return new Set(grantedKeys(db, person.id))
  }
  throw new HttpError(422, 'Choose a value from the list.')
}

export function setChoices(context: Context, userType: UserType): Choice[] | undefined {
  const { rightsPolicy } = userType
  const edits = rightsPolicy && allows(rightsRules(userType, rightsPolicy).edit, context.actor)
  return edits ? allSets(context) : undefined
}

function allSets({ server: { db }, language }: Context): PermissionSet[] {
  const sets = db.select().from(permissionSets).orderBy(asc(permissionSets.name)).all()
  return sets.map((set) => ({ ...set, name: permissionSetNameFor(language, set) }))
}

/** The set that was there from the start for a role, if it still is. */
export function findSeededSet(db: Database, key: string): PermissionSet | undefined {
  return db.select().from(permissionSets).where(eq(permissionSets.seed_key, key)).get()
}

export function applySet(context: Context, user: User, setId: number): void {
  const { db } = context.server
  const { granted, revoked } = diffRights(new Set(findSet(db, setId)?.keys), rightsOf(db, user.id), context.actor)
  setRights(context, user, [...granted, ...revoked])
}

export function viewOfSets(context: Context, userType: UserType, user: User) {
  const { server, actor } = context
  const { db } = server
  const rights = rightsOf(db, user.id)
  const { view } = rightsRules(userType, userType.rightsPolicy as PolicyKey)
  const others = db
    .select()
    .from(users)
    .where(and(eq(users.group_id, userType.group), eq(users.active, true)))
    .orderBy(asc(users.search), asc(users.id))
    .limit(peopleLimit)
    .all()
    .filter((person) => person.id !== user.id && allows(view, actor, person))
  return {
    sets: allSets(context).map(({ id, name, keys }) => ({ id, name, ...diffRights(new Set(keys), rights, actor) })),
    others: others.map((person) => ({ id: person.id, name: userLabel(person) })),
    mayManage: actor.superadmin,
    userId: user.id,
  }
}

const limits = { name: 60, sets: 50 }

const mayManageSets = anyOf(superadministrator)

export function permissionSetRoutes(app: FastifyInstance): void {
  app.post('/permission-sets', action({ access: mayManageSets }, saveSet))
  app.post('/permission-sets/:id/delete', action({ access: mayManageSets, record: findSet }, deleteSet))
}

function saveSet(request: FastifyRequest): Done {
  const { db } = request.server
  const body = bodyOf(request)
  const shown = stripControlCharacters(body.get('name') ?? '').trim()
  if (!shown || shown.length > limits.name)
    throw new HttpError(422, 'Give the set a name of up to {limit} characters.', { limit: limits.name })
  const name = storedName(request, shown)
  const userId = Number(body.get('user_id'))
  if (!db.select().from(users).where(eq(users.id, userId)).get()) throw new HttpError(422, 'Choose a value from the list.')
  const keys = grantedKeys(db, userId)
  const others = db.select({ sets: count() }).from(permissionSets).where(ne(permissionSets.name, name)).get()
  if ((others?.sets ?? 0) >= limits.sets) throw new HttpError(422, 'You can save up to {limit} sets.', { limit: limits.sets })
  db.insert(permissionSets).values({ name, keys }).onConflictDoUpdate({ target: permissionSets.name, set: { keys } }).run()
  return { location: previousPage(request), message: ['Permission set "{name}" saved', { name: shown }] }
}

/** A default set is replaced by the name that its reader sees. */
function storedName({ server: { db }, language }: Context, shown: string): string {
  const sets = db.select().from(permissionSets).all()
  return sets.find((set) => permissionSetNameFor(language, set) === shown)?.name ?? shown
}

function deleteSet(request: FastifyRequest, set: PermissionSet): Done {
  request.server.db.delete(permissionSets).where(eq(permissionSets.id, set.id)).run()
  const shown = permissionSetNameFor(request.language, set)
  return { location: previousPage(request), message: ['Permission set "{name}" deleted', { name: shown }] }
}

const previousPage = (request: FastifyRequest) => safePath(request.server, refererPath(request), url(request.server, '/'))
