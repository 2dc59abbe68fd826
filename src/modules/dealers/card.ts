import type { FastifyRequest } from 'fastify'
import { group } from '../../core/access.ts'
import { users } from '../../database/schema/index.ts'
import type { Card } from '../../web/card/card.ts'
import type { Values } from '../../web/form/form.ts'
import { authorOf } from '../../web/http.ts'
import { createAccount, personLabel, updateAccount } from '../people/accounts.ts'
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
function register(request: FastifyRequest, input: Values): number {
  const values = { ...input, manager_id: request.actor.id }
  return createAccount(request.server.db, group.dealer, values, dealerSearch, authorOf(request))
}

function save(request: FastifyRequest, dealer: Dealer, values: Values): void {
  updateAccount(request.server.db, dealer, values, dealerSearch, authorOf(request))
}
