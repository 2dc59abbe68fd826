import { eq } from 'drizzle-orm'
import t from 'tap'
import { type Actor, allows, anyOf, authorizer, everyone, scopeOf } from '../src/core/access.ts'
import { policyKeys } from '../src/core/policies.ts'
import { changes, companies, orders, users } from '../src/database/schema/index.ts'
import { deletionsOf } from '../src/records/kind/registry.ts'
import { idsQuery, type ListQuery, selectIds } from '../src/records/list/ids.ts'
import { readState } from '../src/records/list/state.ts'
import { type Cabinet, startCabinet } from './support/cabinet.ts'
import { grant, revoke } from './support/cast.ts'
import { totalOf } from './support/html.ts'
import { performer } from './support/performer.ts'
import { makeRandom, type Random } from './support/random.ts'

// A rule says twice whose records a right covers: as a test of one record, and as a condition for lists.

t.test('every list whose records can be deleted shows each user exactly the records that its rule allows one by one', async (t) => {
  const seed = Number(process.env.SEED) || 20_261_122
  const random = makeRandom(seed)
  const cabinet = await startCabinet(t)
  plantOwners(cabinet, random)
  const limited = new Set<string>()
  for (const { list, find } of deletionsOf(cabinet.app)) {
    const state = { ...readState(list, new URLSearchParams(), actorOf(cabinet, cabinet.cast.root, random)), size: 'all' as const }
    const unlimited = { ...list, may: { ...list.may, list: anyOf(everyone()) } }
    const all = allIds({ db: cabinet.db, list: unlimited, actor: actorOf(cabinet, cabinet.cast.root, random), state })
    const wrong: string[] = []
    for (const { id } of cabinet.db.select({ id: users.id }).from(users).all())
      for (let attempt = 0; attempt < 3; attempt++) {
        const actor = actorOf(cabinet, id, random)
        const isAllowed = authorizer(list.may.list, actor)
        const expected = allows(list.may.list, actor) ? all.filter((record) => isAllowed(find(cabinet.db, record) as never)) : []
        const shown = allIds({ db: cabinet.db, list, actor, state })
        if (String(sorted(shown)) !== String(sorted(expected)))
          wrong.push(`person ${id} with ${[...actor.policies]}: shows ${sorted(shown)} instead of ${sorted(expected)}`)
        if (shown.length > 0 && shown.length < all.length) limited.add(list.name)
        for (const q of shown.length < all.length ? ['o', 'an'] : []) {
          const beyond = allIds({ db: cabinet.db, list, actor, state: { ...state, q } }).filter((record) => !expected.includes(record))
          if (beyond.length > 0) wrong.push(`person ${id}: a search for ${q} finds ${beyond}`)
        }
        if (scopeOf(list.may.list, actor) === 'all' && shown.length < all.length) wrong.push(`person ${id} may see all`)
      }
    t.same(wrong, [], `${list.name} (seed ${seed})`)
  }
  for (const name of ['dealers', 'companies', 'orders']) t.ok(limited.has(name), `${name} was looked at by people who may see some of it`)
})

const sorted = (ids: number[]) => [...ids].sort((a, b) => a - b)

/** Companies, dealers and orders that belong to anybody, or to nobody. */
function plantOwners({ db, cast }: Cabinet, random: Random): void {
  const managers = [cast.maria, cast.mikhail, cast.plain, null]
  const companyIds = db
    .select({ id: companies.id })
    .from(companies)
    .all()
    .map(({ id }) => id)
  for (let number = 0; number < 12; number++) {
    const org = `Anon ${number}`
    companyIds.push(
      Number(
        db
          .insert(companies)
          .values({ org, manager_id: random.pick(managers), search: org.toLowerCase() })
          .run().lastInsertRowid,
      ),
    )
  }
  const dealers: number[] = []
  for (let number = 0; number < 25; number++) {
    const person = {
      lastname: `Manov ${number}`,
      name: 'Anton',
      email: `m${number}@example.com`,
      password: 'none',
      group_id: 2,
      search: `manov ${number} anton`,
    }
    const owners = { company_id: random.pick([...companyIds, null]), manager_id: random.pick(managers) }
    dealers.push(
      Number(
        db
          .insert(users)
          .values({ ...person, ...owners })
          .run().lastInsertRowid,
      ),
    )
  }
  for (let number = 0; number < 30; number++)
    db.insert(orders)
      .values({
        status_id: random.pick([1, 2, 3, 4]),
        dealer_id: random.pick([...dealers, null]),
        company_id: random.pick([...companyIds, null]),
      })
      .run()
}

/** A person with policies of any kind, some of those that limit among them. */
function actorOf({ db, cast }: Cabinet, id: number, random: Random): Actor {
  const person = db.select().from(users).where(eq(users.id, id)).get()
  if (!person) throw new Error(`no person ${id}`)
  const limiting = policyKeys.filter((key) => key.includes('_manager_can_'))
  const policies = new Set<string>([...random.some([...limiting], 4), ...(random.chance(0.3) ? random.some([...policyKeys], 5) : [])])
  const managers = [id, ...random.some([cast.maria, cast.mikhail, cast.plain], 2)]
  return {
    ...performer(person),
    managers,
    reading: random.some([cast.maria, cast.mikhail], 1),
    superadmin: person.superadmin && random.chance(0.5),
    policies,
  }
}

function allIds(query: ListQuery<unknown>): number[] {
  return selectIds(query.db, idsQuery(query))
}

t.test('how many events there are is counted for everybody by themselves, also while nothing is written', async (t) => {
  const { as, db, cast } = await startCabinet(t)
  const entry = { actor_name: 'Nemo', action: 'create', record_id: 1, record_version: 1, fields: {}, search: '' } as const
  for (const entity of ['stocks', 'payments'])
    db.insert(changes)
      .values({ ...entry, entity, label: entity, at: Date.now() })
      .run()
  grant(db, cast.clerk, 'activity_can_view')
  revoke(db, cast.clerk, 'order_can_view_prices')
  const [root, clerk] = [await as('root'), await as('clerk')]
  const totals = async () => [totalOf(await root.get('/activity'), 'activity'), totalOf(await clerk.get('/activity'), 'activity')]
  const [all = 0] = await totals()
  t.same(await totals(), [all, all - 1], 'whoever sees no prices sees no change of payments')
})
