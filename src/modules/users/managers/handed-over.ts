import { desc, eq, or } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allows } from '../../../core/access.ts'
import { authorColumns, companies, type Database, findUser, handOvers, updateRecord, users, whereIn } from '../../../database/index.ts'
import type { Done } from '../../../http/action.ts'
import { url } from '../../../http/request/addresses.ts'
import type { Context } from '../../../http/request/context.ts'
import { HttpError, notFound } from '../../../http/request/errors.ts'
import { bodyOf, parseId } from '../../../http/request/input.ts'
import { companyLabel } from '../../companies/company.ts'
import { type User, userLabel } from '../user.ts'
import { mayHandOver } from './may-hand-over.ts'

type HandOver = typeof handOvers.$inferSelect

/** Gives companies and dealers of a manager to another one, or to nobody, and remembers which. Call it inside `write`. */
export function handOver(context: Context, from_id: number, to_id: number | null): void {
  const { server, author } = context
  const { db } = server
  const given = {
    companies: db.select().from(companies).where(eq(companies.manager_id, from_id)).all(),
    dealers: db.select().from(users).where(eq(users.manager_id, from_id)).all(),
  }
  assign(context, given, to_id)
  const idsOf = (records: { id: number }[]) => records.map(({ id }) => id)
  const remembered = { from_id, from_name: nameOf(db, from_id) ?? '', to_id, to_name: to_id === null ? null : nameOf(db, to_id) }
  db.insert(handOvers)
    .values({ ...remembered, companies: idsOf(given.companies), dealers: idsOf(given.dealers), at: Date.now(), ...authorColumns(author) })
    .run()
}

const nameOf = (db: Database, id: number) => {
  const person = findUser(db, id)
  return person ? userLabel(person) : null
}

interface Holdings {
  companies: (typeof companies.$inferSelect)[]
  dealers: (typeof users.$inferSelect)[]
}

function assign({ server: { db }, author }: Context, held: Holdings, manager_id: number | null): void {
  for (const company of held.companies) updateRecord(db, companies, company, { manager_id }, companyLabel(company), author)
  for (const dealer of held.dealers) updateRecord(db, users, dealer, { manager_id }, userLabel(dealer), author)
}

/** What came from a manager, or to them, the latest first. */
export function viewOfHandOvers({ server, actor }: Context, { id }: User) {
  const { db } = server
  const rows = db
    .select()
    .from(handOvers)
    .where(or(eq(handOvers.from_id, id), eq(handOvers.to_id, id)))
    .orderBy(desc(handOvers.id))
    .limit(shownHandOvers)
    .all()
  const names = namesOf(
    db,
    rows.flatMap((row) => row.companies.slice(0, shownCompanies)),
  )
  return rows.map((row) => ({
    ...row,
    companies: row.companies.length,
    dealers: row.dealers.length,
    names: row.companies.slice(0, shownCompanies).flatMap((company) => names.get(company) ?? []),
    undo:
      row.undone_at === null && row.from_id !== null && allows(mayHandOver, actor)
        ? url(server, `/managers/${id}/hand-over/undo`)
        : undefined,
  }))
}

const [shownHandOvers, shownCompanies] = [20, 100]

function namesOf(db: Database, ids: number[]): Map<number, string> {
  const found = db.select({ id: companies.id, org: companies.org }).from(companies).where(whereIn(companies.id, ids)).all()
  return new Map(found.map(({ id, org }) => [id, org]))
}

/** Gives back what was handed over and has the manager still that it got then; what somebody gave to others since stays with them. */
export function undoHandOver(request: FastifyRequest, manager: User): Done {
  const { db } = request.server
  const row = findHandOver(db, manager, parseId(bodyOf(request).get('hand_over')))
  if (row.undone_at !== null) throw new HttpError(409, 'This was given back already.')
  const giver = row.from_id === null ? undefined : findUser(db, row.from_id)
  if (!giver?.active) throw new HttpError(422, 'Only an active manager can get this back.')
  const kept = heldSince(db, row)
  assign(request, kept, giver.id)
  db.update(handOvers).set({ undone_at: Date.now() }).where(eq(handOvers.id, row.id)).run()
  const counts = { companies: kept.companies.length, dealers: kept.dealers.length, of: row.companies.length, from: row.dealers.length }
  return {
    location: url(request.server, `/managers/edit/${manager.id}?tab=deputies`),
    message: ['Given back: companies {companies} of {of}, dealers {dealers} of {from}', counts],
  }
}

/** @throws HttpError 404 for what is of other managers */
function findHandOver(db: Database, { id }: User, wanted: number | undefined): HandOver {
  const row = db
    .select()
    .from(handOvers)
    .where(eq(handOvers.id, wanted ?? 0))
    .get()
  if (!row || (row.from_id !== id && row.to_id !== id)) throw notFound()
  return row
}

/** Where the manager who got it was deleted, that is what nobody has. */
function heldSince(db: Database, { companies: companyIds, dealers, to_id }: HandOver): Holdings {
  const has = ({ manager_id }: { manager_id: number | null }) => manager_id === to_id
  return {
    companies: db.select().from(companies).where(whereIn(companies.id, companyIds)).all().filter(has),
    dealers: db.select().from(users).where(whereIn(users.id, dealers)).all().filter(has),
  }
}
