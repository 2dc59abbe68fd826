import { and, eq, gt, isNotNull, isNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Actor, allowsAll, anyOf, authorizer, everyone, type Grant, type Ownership, type Rule } from '../../core/access.ts'
import { type Database, prepareOnce, trash, whereIn } from '../../database/index.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { restorableSince } from '../housekeeping.ts'
import { deletionsOf } from '../kind/registry.ts'

/** The first record of a batch stands for all of it. */
export type Batch = Pick<typeof trash.$inferSelect, 'id' | 'batch' | 'list' | 'label' | 'restored_at' | 'facts'> & { size: number }

export const findBatch: FindRecord<Batch> = (db, id) => {
  const first = firstRecord(db).get({ id, since: restorableSince() })
  return first && { ...first, size: first.size as number }
}

const firstRecord = prepareOnce((db, params) => {
  const { id, batch, list, size, label, restored_at, facts } = trash
  const records = db.select({ id, batch, list, size, label, restored_at, facts }).from(trash)
  return records.where(and(eq(id, params.id), isNotNull(size), gt(trash.at, params.since))).prepare()
})

function restorableBatches(db: Database): Pick<Batch, 'id' | 'list' | 'facts'>[] {
  const { id, list, facts, size, restored_at, at } = trash
  const records = db.select({ id, list, facts }).from(trash)
  return records.where(and(isNotNull(size), isNull(restored_at), gt(at, restorableSince()))).all()
}

/** Restoring a batch needs the right to delete each of its records, as it was and as it would be now. */
export function restoreRules(app: FastifyInstance): Record<'open' | 'restore' | 'list', Rule<Batch>> {
  const scope = deletableScope(app)
  const grants = deletionsOf(app).flatMap(({ rule }) => deletionGrants(rule))
  const distinct = new Map(grants.map(({ permission }) => [JSON.stringify(permission), permission]))
  const open = anyOf<Batch>(...[...distinct.values()].map((permission) => ({ permission })))
  return { open, restore: anyOf(...[...distinct.values()].map((permission) => ({ permission, scope }))), list: anyOf(everyone(scope)) }
}

function deletionGrants(rule: Rule): readonly Grant[] {
  return rule.filter((grants) => !grants.some(({ permission }) => permission === 'everyone')).at(-1) ?? []
}

function deletableScope(app: FastifyInstance): Ownership<Batch> {
  return {
    description: 'records you can delete yourself',
    predicate: (actor, batch) => mayRestore(app, actor)(batch),
    where: (actor) =>
      whereIn(
        trash.id,
        restorableBatches(app.db)
          .filter(mayRestore(app, actor))
          .map(({ id }) => id),
      ),
  }
}

function mayRestore({ db, records }: FastifyInstance, actor: Actor) {
  return ({ list, facts }: Pick<Batch, 'list' | 'facts'>): boolean => {
    const deletion = records.get(list)?.deletion
    if (!deletion) return false
    if (allowsAll(deletion.rule, actor)) return true
    // Nobody who acts has been deleted themselves.
    const rows = facts.map((row) => ({ id: 0, ...row }))
    const mayDelete = authorizer(deletion.rule, actor)
    return rows.every((row) => mayDelete(deletion.factsOf?.(db, row) ?? row))
  }
}
