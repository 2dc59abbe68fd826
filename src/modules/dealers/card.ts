import type { FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { write } from '../../database/open.ts'
import { users } from '../../database/schema/index.ts'
import type { Card } from '../../web/card/card.ts'
import type { Values } from '../../web/form/form.ts'
import { authorOf } from '../../web/http.ts'
import { writeRecord } from '../../web/policy.ts'
import { createAccount, personLabel, updateAccount, withHashedPassword } from '../people/accounts.ts'
import { may } from './access.ts'
import { type Dealer, dealerSearch, findDealer } from './dealer.ts'
import { dealerForm, dealerPage } from './form.ts'

export const dealerCard: Card<Dealer> = {
  list: 'dealers',
  listTitle: 'Dealers',
  path: '/dealers',
  table: users,
  form: dealerForm,
  may,
  find: findDealer,
  newTitle: 'New dealer',
  titleOf: personLabel,
  page: dealerPage,
  create: register,
  save,
  created: 'The dealer has been registered.',
}

/** Whoever registers a dealer supervises them, of whatever group they are. */
async function register(request: FastifyRequest, input: Values): Promise<number> {
  const { db } = request.server
  const values = { ...(await withHashedPassword(input)), manager_id: request.actor.id }
  return write(db, () => createAccount(db, group.dealer, values, dealerSearch, authorOf(request)))
}

async function save(request: FastifyRequest, input: Values): Promise<void> {
  const { db } = request.server
  const values = await withHashedPassword(input)
  writeRecord(request, (dealer: Dealer) => updateAccount(db, dealer, values, dealerSearch, authorOf(request)))
}
