import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Actor, allows, anyOf, everyone, type Grant, type Ownership, type Rule } from '../../core/access.ts'
import { trash } from '../../database/schema/index.ts'
import { type Batch, restorableFacts } from './batch.ts'

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
    predicate: (actor, { list, facts }) => facts.every((row) => mayDelete(app, actor, list, row)),
    where: (actor) => sql`${trash.batch} in (select value from json_each(${JSON.stringify(deletableBatches(app, actor))}))`,
  }
}

function deletableBatches(app: FastifyInstance, actor: Actor): string[] {
  const forbidden = new Set<string>()
  const all = new Set<string>()
  for (const { batch, list, facts } of restorableFacts(app.db)) {
    all.add(batch)
    if (!forbidden.has(batch) && !mayDelete(app, actor, list, facts)) forbidden.add(batch)
  }
  return [...all].filter((batch) => !forbidden.has(batch))
}

function mayDelete({ db, deletions }: FastifyInstance, actor: Actor, list: string, row: Batch['facts'][number]): boolean {
  const deletion = deletions.get(list)
  return deletion !== undefined && allows(deletion.rule, actor, deletion.factsOf?.(db, row) ?? row)
}
