import { type Database, write } from '../open.ts'
import { addCompanies } from './companies.ts'
import { addDealers } from './dealers.ts'
import { makeMailboxes } from './latin.ts'
import { addNews } from './news.ts'
import { addOrders } from './orders.ts'
import { makeRegister } from './people.ts'
import { makeRandom } from './random.ts'
import { addReferences } from './references.ts'
import { addAdministrators, addManagers, addProduction, type Recruiting } from './staff.ts'

/** Fills an empty database, defaults planted, with the same dealer network every time; all accounts have the one password. */
export function loadSample(db: Database, passwordHash: string): void {
  write(db, () => {
    const random = makeRandom(20261101)
    const recruiting: Recruiting = { random, register: makeRegister(db, passwordHash), mailbox: makeMailboxes() }
    const references = addReferences(db)
    const administrators = addAdministrators(recruiting)
    const managers = addManagers(recruiting)
    addProduction(recruiting, references)
    const companies = addCompanies(db, random, references, managers)
    addDealers(recruiting, { companies, managers, administrators })
    addNews(db)
    addOrders(db, makeRandom(20261102))
  })
}
