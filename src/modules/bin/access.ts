import { sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { type Actor, allows, anyOf, everyone, type Ownership, type Rule, type Way } from '../../core/access.ts'
import { bin } from '../../database/schema/index.ts'
import { type Batch, waitingFacts } from './batch.ts'

/**
 * Restoring needs the right to delete (decisions): every record of a batch, as it was and as it would stand now.
 * Ask for it when every module has said how it deletes.
 */
export function restoringRules(app: FastifyInstance): Record<'open' | 'restore' | 'list', Rule<Batch>> {
  const whose = deletable(app)
  const ways = [...app.deletions.values()].flatMap(({ rule }) => deletingWays(rule))
  const distinct = new Map(ways.map(({ holds }) => [JSON.stringify(holds), holds]))
  const open = anyOf<Batch>(...[...distinct.values()].map((holds) => ({ holds })))
  return { open, restore: anyOf(...[...distinct.values()].map((holds) => ({ holds, whose }))), list: anyOf(everyone(whose)) }
}

/** A rule of deletion asks for seeing first, then for the right to delete, then spares some people. */
function deletingWays(rule: Rule): readonly Way[] {
  return rule.filter((ways) => !ways.some(({ holds }) => holds === 'everyone')).at(-1) ?? []
}

function deletable(app: FastifyInstance): Ownership<Batch> {
  return {
    words: 'what you may delete yourself',
    test: (actor, { list, facts }) => facts.every((row) => mayDelete(app, actor, list, row)),
    where: (actor) => sql`${bin.batch} in (select value from json_each(${JSON.stringify(theirs(app, actor))}))`,
  }
}

/** The batches of which a person might have deleted every record. */
function theirs(app: FastifyInstance, actor: Actor): string[] {
  const foreign = new Set<string>()
  const all = new Set<string>()
  for (const { batch, list, facts } of waitingFacts(app.db)) {
    all.add(batch)
    if (!foreign.has(batch) && !mayDelete(app, actor, list, facts)) foreign.add(batch)
  }
  return [...all].filter((batch) => !foreign.has(batch))
}

function mayDelete({ db, deletions }: FastifyInstance, actor: Actor, list: string, row: Batch['facts'][number]): boolean {
  const deletion = deletions.get(list)
  return deletion !== undefined && allows(deletion.rule, actor, deletion.factsOf?.(db, row) ?? row)
}
