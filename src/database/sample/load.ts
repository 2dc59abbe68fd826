import { type Database, write } from '../open.ts'
import { addCompanies } from './companies.ts'
import { addDealers } from './dealers.ts'
import { makeMailboxes } from './mailboxes.ts'
import { addNews } from './news.ts'
import { addOrders } from './orders.ts'
import { makeRandom } from './random.ts'
import { addReferences } from './references.ts'
import { addAdministrators, addManagers, addProduction, type UserFactory } from './staff.ts'
import { makeUserRegistrar } from './users.ts'

export function loadSample(db: Database, passwordHash: string): void {
  write(db, () => {
    const random = makeRandom(20261101)
    const factory: UserFactory = { random, register: makeUserRegistrar(db, passwordHash), mailbox: makeMailboxes() }
    const references = addReferences(db)
    const administrators = addAdministrators(factory)
    const managers = addManagers(factory)
    addProduction(factory, references)
    const companies = addCompanies(db, random, references, managers)
    addDealers(factory, { companies, managers, administrators })
    addNews(db)
    addOrders(db, makeRandom(20261102))
  })
}
