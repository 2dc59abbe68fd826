import type { FastifyInstance } from 'fastify'
import { type Actor, allowsAll, anyOf, authorizer, everyone, type Grant, type Ownership, type Rule } from '../../core/access.ts'
import { trash, whereIn } from '../../database/index.ts'
import { type Batch, restorableBatches } from './batch.ts'

/** Restoring a batch needs the right to delete each of its records, as it was and as it would be now (decisions). */
export function restoreRules(app: FastifyInstance): Record<'open' | 'restore' | 'list', Rule<Batch>> {
  const scope = deletableScope(app)
  const grants = [...app.deletions.values()].flatMap(({ rule }) => deletionGrants(rule))
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

function mayRestore({ db, deletions }: FastifyInstance, actor: Actor) {
  return ({ list, facts }: Pick<Batch, 'list' | 'facts'>): boolean => {
    const deletion = deletions.get(list)
    if (!deletion) return false
    if (allowsAll(deletion.rule, actor)) return true
    // Nobody who acts has been deleted themselves.
    const records = facts.map((row) => ({ id: 0, ...row }))
    const mayDelete = authorizer(deletion.rule, actor)
    return records.every((row) => mayDelete(deletion.factsOf?.(db, row) ?? row))
  }
}
