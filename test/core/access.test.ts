import fc from 'fast-check'
import t from 'tap'
import {
  type Actor,
  allOf,
  allows,
  anyOf,
  authorizer,
  checkAccess,
  either,
  everyone,
  findDenial,
  type Grant,
  group,
  has,
  ignoringScope,
  impersonationPolicy,
  isGroup,
  isSameId,
  type Ownership,
  type Rule,
  roleDefaults,
  scopeOf,
  superadministrator,
} from '../../src/core/access.ts'
import { type PolicyKey, policyKeys } from '../../src/core/policies.ts'
import { rulesBySetting } from '../../src/core/specification-rules.ts'
import { fold, fullName, isLongerThan, searchText, searchWords } from '../../src/core/text.ts'
import { performer } from '../support/performer.ts'

interface Thing {
  owner: number | null
}

const owned: Ownership<Thing> = {
  description: 'your things',
  predicate: (actor, thing) => isSameId(thing.owner, actor.id),
  where: (actor) => `owner = ${actor.id}`,
}

function person(more: Partial<Actor> = {}, ...held: PolicyKey[]): Actor {
  const nowhere = { company_id: null, stock_id: null, manufacture_id: null }
  const self = performer({
    id: 1,
    group_id: group.manager,
    superadmin: false,
    name: 'A',
    lastname: 'B',
    ...nowhere,
    policies: new Set(held),
  })
  return { ...self, ...more }
}

t.test('policies of a user', async (t) => {
  t.test('a superadministrator has every policy, whatever is stored', async (t) => {
    for (const key of policyKeys) t.equal(checkAccess(person({ superadmin: true }), key), true, key)
  })

  t.test('any other user has exactly the policies stored as true, whatever their group', async (t) => {
    fc.assert(
      fc.property(fc.subarray(policyKeys), fc.constantFrom(...policyKeys), fc.integer({ min: 1, max: 4 }), (held, key, group_id) => {
        t.equal(checkAccess(person({ group_id }, ...held), key), held.includes(key))
      }),
    )
    t.end()
  })

  t.test('administrators have no policy by their group alone', async (t) => {
    t.equal(checkAccess(person({ group_id: group.administrator }), 'news_can_view'), false)
  })

  t.test('every policy of the specification exists', async (t) => {
    const modules = { news: 'view add edit delete', admin: 'view add edit delete auth edit_policy', dealer: 'view add edit delete auth' }
    const more = {
      dealer_manager: 'view edit delete',
      company: 'view add edit delete edit_discount',
      company_manager: 'view edit delete',
      manager: 'view add edit delete auth edit_policy view_dealers',
      production: 'view add edit delete edit_policy',
      status: 'view',
    }
    for (const [module, actions] of Object.entries({ ...modules, ...more }))
      for (const action of actions.split(' ')) t.ok(policyKeys.includes(`${module}_can_${action}` as PolicyKey), `${module}_can_${action}`)
  })

  t.test(
    'default rights are those of news, orders, payments and products for administrators; others view news, dealers and managers products and how offers look, and managers issue documents',
    async (t) => {
      const orders = ['order_can_view', 'order_can_add', 'order_can_edit', 'order_can_delete', 'order_can_view_prices']
      const products = ['product_can_view', 'product_can_edit']
      const payments = ['document_can_issue', 'payment_can_confirm', 'period_can_close', 'company_can_edit_limit', 'order_can_exceed_limit']
      const news = ['news_can_view', 'news_can_add', 'news_can_edit', 'news_can_delete']
      t.same(new Set(roleDefaults[1]), new Set([...orders, ...payments, ...news, ...products, 'company_offer_can_edit']))
      const shared = ['news_can_view', 'product_can_view', 'order_can_view_prices', 'company_offer_can_edit']
      t.same(new Set(roleDefaults[2]), new Set(shared))
      t.same(new Set(roleDefaults[3]), new Set([...shared, 'document_can_issue']))
      t.same(roleDefaults[4], ['news_can_view'])
    },
  )

  t.test("impersonation needs the policy of the target's group; production uses that of managers", async (t) => {
    t.equal(impersonationPolicy(1), 'admin_can_auth')
    t.equal(impersonationPolicy(2), 'dealer_can_auth')
    t.equal(impersonationPolicy(3), 'manager_can_auth')
    t.equal(impersonationPolicy(4), 'manager_can_auth')
  })
})

t.test('an access rule is decided', async (t) => {
  const view = anyOf<Thing>(has('dealer_can_view'), has('dealer_manager_can_view', owned))

  t.test('a wide permission covers every record, a limited one only those in its scope', async (t) => {
    const wide = person({}, 'dealer_can_view')
    const limited = person({}, 'dealer_manager_can_view')
    t.equal(allows(view, wide, { owner: 2 }), true)
    t.equal(allows(view, limited, { owner: 1 }), true)
    t.equal(allows(view, limited, { owner: 2 }), false)
    t.equal(allows(view, person(), { owner: 1 }), false)
  })

  t.test('a denial says whether a permission is missing or the record is out of scope', async (t) => {
    t.equal(findDenial(view, person(), { owner: 1 })?.missing, 'right')
    t.equal(findDenial(view, person({}, 'dealer_manager_can_view'), { owner: 2 })?.missing, 'record')
    t.equal(findDenial(view, person({}, 'dealer_manager_can_view'), { owner: 1 }), undefined)
  })

  t.test('without a record only permissions count', async (t) => {
    t.equal(allows(view, person({}, 'dealer_manager_can_view')), true)
    t.equal(allows(view, person()), false)
  })

  t.test('every part of a rule must be satisfied', async (t) => {
    const edit = allOf<Thing>(ignoringScope(view), anyOf(has('dealer_can_edit')))
    t.equal(allows(edit, person({}, 'dealer_can_edit'), { owner: 1 }), false)
    t.equal(allows(edit, person({}, 'dealer_can_edit', 'dealer_manager_can_view'), { owner: 2 }), true)
  })

  t.test("the scope of a list is everything, the user's own records, or nothing", async (t) => {
    t.equal(scopeOf(view, person({}, 'dealer_can_view', 'dealer_manager_can_view')), 'all')
    t.same(scopeOf(view, person({}, 'dealer_manager_can_view')), ['owner = 1'])
    t.same(scopeOf(view, person()), [])
    t.equal(scopeOf(view, person({ superadmin: true })), 'all')
  })
})

t.test('any access rule is decided consistently', async (t) => {
  const keys: PolicyKey[] = ['dealer_can_view', 'dealer_can_edit', 'company_can_view', 'news_can_view']
  const someWay = fc.oneof(
    fc.constantFrom(...keys).map((key) => has<Thing>(key)),
    fc.constantFrom(1, 2, 3, 4).map((of) => isGroup<Thing>(of as 1)),
    fc.constant(superadministrator as Grant<Thing>),
    fc.constant(everyone<Thing>()),
  )
  const way = fc.tuple(someWay, fc.boolean()).map(([one, limited]) => (limited ? { ...one, scope: owned } : one))
  const rule: fc.Arbitrary<Rule<Thing>> = fc.array(fc.array(way, { maxLength: 3 }), { maxLength: 3 })
  const actor = fc
    .record({ group_id: fc.integer({ min: 1, max: 4 }), superadmin: fc.boolean(), held: fc.subarray(keys) })
    .map(({ held, ...more }) => person(more, ...held))
  const thing = fc.record({ owner: fc.constantFrom(null, 1, 2) })

  const holds = ({ permission: what }: Grant<Thing>, { superadmin, policies, group_id, impersonator }: Actor) => {
    if (what === 'own-name') return !impersonator
    if (what === 'everyone') return true
    if (what === 'superadministrator') return superadmin
    return 'group' in what ? what.group === group_id : superadmin || policies.has(what.policy)
  }

  t.test('a rule allows exactly when each part has a grant that the user holds and that covers the record', async () => {
    const expected = (parts: Rule<Thing>, who: Actor, { owner }: Thing) =>
      parts.every((ways) => ways.some((one) => holds(one, who) && (!one.scope || (owner !== null && owner === who.id))))
    fc.assert(fc.property(rule, actor, thing, (parts, who, what) => allows(parts, who, what) === expected(parts, who, what)))
  })

  t.test('a rule reports a missing permission exactly when some part has no grant that the user holds', async () => {
    fc.assert(
      fc.property(rule, actor, thing, (parts, who, what) => {
        const lacking = parts.some((ways) => !ways.some((one) => holds(one, who)))
        return (findDenial(parts, who, what)?.missing === 'right') === lacking && allows(parts, who) === !lacking
      }),
    )
  })

  t.test('a rule decides a list, a reason and a single question alike', async () => {
    fc.assert(
      fc.property(rule, actor, thing, (parts, who, what) => {
        const allowed = allows(parts, who, what)
        return authorizer(parts, who)(what) === allowed && (findDenial(parts, who, what) === undefined) === allowed
      }),
    )
  })

  t.test('a user who may do something with a record has the permission for it without a record too', async () => {
    fc.assert(fc.property(rule, actor, thing, (parts, who, what) => !allows(parts, who, what) || allows(parts, who)))
  })

  t.test('one of several rules is enough, whatever parts they share', async () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), actor, thing, (rules, who, what) => {
        return allows(either(...rules), who, what) === rules.some((parts) => allows(parts, who, what))
      }),
    )
  })

  t.test('no part of "one of several" repeats another or only adds to it', async () => {
    const names = (part: Rule<Thing>[number]) => new Set(part.map(({ permission, scope }) => JSON.stringify([permission, Boolean(scope)])))
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), (rules) => {
        const parts = either(...rules)
        const sets = parts.map(names)
        return parts.every((part, at) => {
          const own = sets[at] as Set<string>
          return part.length === own.size && !sets.some((other, place) => place !== at && [...other].every((name) => own.has(name)))
        })
      }),
    )
  })

  t.test('ignoring the scope of a rule leaves only its permissions', async () => {
    fc.assert(fc.property(rule, actor, thing, (parts, who, what) => allows(ignoringScope(parts), who, what) === allows(parts, who)))
  })

  t.test('one more policy never takes access away', async () => {
    fc.assert(
      fc.property(rule, actor, thing, fc.constantFrom(...keys), (parts, who, what, key) => {
        const richer = { ...who, policies: new Set([...who.policies, key]) }
        return !allows(parts, who, what) || allows(parts, richer, what)
      }),
    )
  })

  t.test('a list shows exactly the records that its rule allows', async () => {
    const listed = (parts: Rule<Thing>, who: Actor, { owner }: Thing) => {
      const scope = scopeOf(parts, who)
      return scope === 'all' || scope.some((condition) => condition === `owner = ${owner}`)
    }
    fc.assert(
      fc.property(fc.array(way, { minLength: 1, maxLength: 3 }), actor, thing, (ways, who, what) => {
        const parts = [ways]
        return listed(parts, who, what) === allows(parts, who, what)
      }),
    )
  })
})

t.test('a record without an owner belongs to nobody', async (t) => {
  t.equal(isSameId(null, null), false)
  t.equal(isSameId(undefined, undefined), false)
  t.equal(isSameId(null, undefined), false)
  const id = fc.option(fc.integer(), { nil: null })
  fc.assert(fc.property(id, id, (a, b) => isSameId(a, b) === (a !== null && b !== null && a === b)))
})

t.test('texts are folded for search', async (t) => {
  t.test('folding ignores case, ё and Unicode normalization', async (t) => {
    t.equal(fold('ЁЛКА'), 'елка')
    t.equal(fold('Е\u0308лка'), 'елка')
    t.equal(fold('И\u0306од'), fold('йод'))
    t.equal(fold('Cafe\u0301'), fold('CAFÉ'))
  })

  t.test('folding keeps %, _ and quotes', async (t) => {
    t.equal(fold('100%_"\'\\'), '100%_"\'\\')
  })

  t.test('folding omits empty parts and keeps parts apart', async (t) => {
    t.equal(searchText('Ab', null, undefined, '', 'Cd'), 'ab\ncd')
    t.notOk(searchText('Ab', 'Cd').includes('bc'))
  })

  t.test('a query is split into its distinct folded words', async (t) => {
    t.same(searchWords('  Ёлка\tелка  BETA\n'), ['елка', 'beta'])
    t.same(searchWords('   '), [])
  })

  t.test('of any number of words the first twelve are looked for', async (t) => {
    const words = Array.from({ length: 25 }, (_, index) => `w${index}`)
    t.same(searchWords(words.join(' ')), words.slice(0, 12))
  })

  const letters = fc.string({ unit: fc.constantFrom(...'aZ9яЁёЕйЙ%_"\'\\-'), minLength: 1, maxLength: 12 })
  t.test('any part of any word of a record is found, whatever its case', async () => {
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), fc.nat(), fc.nat(), fc.boolean(), (words, at, length, upper) => {
        const [word = ''] = words.slice(at % words.length)
        const part = word.slice(0, 1 + (length % word.length)).replaceAll('ё', 'е')
        return searchWords(upper ? part.toUpperCase() : part).every((found) => searchText(...words).includes(found))
      }),
    )
  })
})

t.test('full names and lengths are what a person would read and count', async (t) => {
  t.equal(fullName({ lastname: 'Петрова', name: 'Мария', middlename: 'Ивановна' }), 'Петрова Мария Ивановна')
  t.equal(fullName({ lastname: 'Smith', name: 'John', middlename: null }), 'Smith John')
  for (const [text, length] of Object.entries({ '': 0, abc: 3, ёлка: 4, '👨‍👩‍👧': 1, 'e\u0301': 1 }))
    t.same([isLongerThan(text, length - 1), isLongerThan(text, length)], [text !== '', false], text)
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'ж', '語', '😀', '🇷🇺', 'é')), (units) => {
      // Two flags side by side stay two: what joins to what is settled within each unit.
      const text = units.join('')
      return isLongerThan(text, units.length - 1) === units.length > 0 && !isLongerThan(text, units.length)
    }),
  )
})

t.test('the rules that surprise have a specified and a strict reading', async (t) => {
  const specified = rulesBySetting['as-specified']
  const { strict } = rulesBySetting
  t.match(specified, {
    productionRowEdit: 'manager_can_edit',
    productionRowDelete: 'manager_can_delete',
    administratorSave: 'manager_can_edit',
  })
  t.match(strict, {
    productionRowEdit: 'production_can_edit',
    productionRowDelete: 'production_can_delete',
    administratorSave: 'admin_can_edit',
  })
  t.match(specified, {
    administratorEmailUnique: false,
    discountNeedsPolicy: false,
    usedStatusDeletable: true,
    specificationNumberRepeats: true,
  })
  t.match(strict, {
    administratorEmailUnique: true,
    discountNeedsPolicy: true,
    usedStatusDeletable: false,
    specificationNumberRepeats: false,
  })
})
