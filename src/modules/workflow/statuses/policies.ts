import { and, asc, eq, sql } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { type StatusPolicyKey, statusPolicyNames } from '../../../core/default-workflow.ts'
import { type ChangedFields, type Database, policyStatus, statuses, statusPolicies, updateRecord } from '../../../database/index.ts'
import type { Done } from '../../../http/action.ts'
import { refererPath, url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { bodyOf, paramOf, parseId, queryOf } from '../../../http/request/input.ts'
import { template } from '../../../http/request/template.ts'
import { parseSwitch } from '../../../records/fields/index.ts'
import { type CardFrame, cardPart, type Tab } from '../../../records/kind/card.ts'
import { type PolicyPreview, viewOfPolicyPreview } from '../preview.ts'
import labels from './labels.json' with { type: 'json' }
import { allStatuses, findStatus, type Status, statusAccess, statusLabel } from './status.ts'

const policiesPage = template<
  CardFrame & PolicyPreview & { types: PolicyType[]; rows: Status[]; isOn: (status: Status, type: PolicyType) => boolean }
>('statuses/policies.njk')
const policyCell = template<{ row: Status; type: PolicyType; on: boolean }>('statuses/policy-cell.njk')

export const policiesTab: Tab<Status> = {
  name: 'policies',
  label: 'Policies',
  rule: statusAccess.view,
  ...cardPart(policiesPage, (request: FastifyRequest, status: Status) => {
    const { server, language } = request
    const others = allStatuses(server.db).filter(({ id }) => id !== status.id)
    const on = enabledPolicies(server.db)
    return {
      types: policyTypes(server.db, language),
      rows: [status, ...others],
      isOn: (one: Status, { id }: PolicyType) => on.has(`${one.id} ${id}`),
      ...viewOfPolicyPreview(request, status.id, queryOf(request)),
    }
  }),
}

export function switchPolicy(request: FastifyRequest, status: Status): Done {
  const { db } = request.server
  const policyKey = paramOf(request, 'policy_key')
  const value = parseSwitch(bodyOf(request).get('value'))
  const type = policyTypes(db, request.language).find(({ key }) => key === policyKey)
  if (!type) throw notFound()
  setPolicy(request, status, type, value)
  return { location: previousTab(request, status), fragment: (reply) => reply.page(policyCell, { row: status, type, on: value }) }
}

/** Gives a status the policies of another one, usually of that before it. */
export function copyPolicies(request: FastifyRequest, { id, name }: Status): Done {
  const { db } = request.server
  const from = findStatus(db, parseId(bodyOf(request).get('from')) ?? -1)
  if (!from) throw new HttpError(422, 'Choose a value from the list.')
  const on = enabledPolicies(db)
  for (const type of policyTypes(db, request.language))
    setPolicy(request, findStatus(db, id) as Status, type, on.has(`${from.id} ${type.id}`))
  return {
    location: url(request.server, `/status/edit/${id}?tab=policies`),
    message: ['{status}: policies copied from {from}', { status: name, from: from.name }],
  }
}

/**
 * Gives a status that has just been added the policies of another one. Call it inside `write`.
 * @returns what its history says of them
 */
export function inheritPolicies(db: Database, id: number, from: number): ChangedFields {
  const { status_id, status_policy_id, value } = policyStatus
  const held = db.select({ status_policy_id, key: statusPolicies.key }).from(policyStatus)
  const on = held
    .innerJoin(statusPolicies, eq(statusPolicies.id, status_policy_id))
    .where(and(eq(status_id, from), eq(value, true)))
    .all()
  for (const type of on) db.insert(policyStatus).values({ status_id: id, status_policy_id: type.status_policy_id, value: true }).run()
  return Object.fromEntries(on.map(({ key }) => [`policies.${key}`, [false, true]]))
}

function setPolicy(context: Context, status: Status, { id, key }: PolicyType, value: boolean): void {
  const { db } = context.server
  if (enabledPolicies(db).has(`${status.id} ${id}`) === value) return
  const inserted = db.insert(policyStatus).values({ status_id: status.id, status_policy_id: id, value })
  inserted.onConflictDoUpdate({ target: [policyStatus.status_id, policyStatus.status_policy_id], set: { value } }).run()
  updateRecord(db, statuses, status, {}, statusLabel(status), context.author, { [`policies.${key}`]: [!value, value] })
}

const parties: Record<string, string> = labels.policyParties
const actions: Record<string, string> = labels.policyActions

type PolicyType = ReturnType<typeof policyTypes>[number]

function policyTypes(db: Database, language: 'en' | 'ru') {
  const types = db.select().from(statusPolicies).orderBy(asc(statusPolicies.id)).all()
  const named = types.map((type) => {
    const [, party = '', action = ''] = /^order_(\w+?)_can_(\w+)$/.exec(type.key) ?? []
    return {
      ...type,
      party: parties[party] ?? party,
      action: actions[action] ?? action,
      name: statusPolicyNames[type.key as StatusPolicyKey]?.[language] ?? type.name,
    }
  })
  const order = Object.values(parties)
  return named.sort((a, b) => order.indexOf(a.party) - order.indexOf(b.party))
}

function enabledPolicies(db: Database): Set<string> {
  const pair = sql<string>`${policyStatus.status_id} || ' ' || ${policyStatus.status_policy_id}`
  const rows = db.select({ pair }).from(policyStatus).where(eq(policyStatus.value, true)).all()
  return new Set(rows.map((row) => row.pair))
}

/** The switch may belong to another status than the page it is on. */
function previousTab(request: FastifyRequest, status: Status): string {
  const from = refererPath(request)
  const cards = url(request.server, '/status/edit/')
  return from?.startsWith(cards) ? from : `${cards}${status.id}?tab=policies`
}
