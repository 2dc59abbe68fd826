import { type Database, write } from '../open.ts'
import { addActivity } from './activity.ts'
import { addCompanies } from './companies.ts'
import { addDealers } from './dealers.ts'
import { noFiles, type SampleFiles } from './files.ts'
import { makeMailboxes } from './mailboxes.ts'
import { addMessages } from './messages.ts'
import { addNews } from './news.ts'
import { addOrders } from './orders.ts'
import { makeRandom } from './random.ts'
import { addReferences } from './references.ts'
import { addAdministrators, addManagers, addProduction, type UserFactory } from './staff.ts'
import { addPortraits, claimUploads } from './uploads.ts'
import { makeUserRegistrar } from './users.ts'

export function loadSample(db: Database, passwordHash: string, files: SampleFiles = noFiles): void {
  write(db, () => {
    const random = makeRandom(20261101)
    const factory: UserFactory = { random, register: makeUserRegistrar(db, passwordHash), mailbox: makeMailboxes() }
    const references = addReferences(db)
    const administrators = addAdministrators(factory)
    const managers = addManagers(factory)
    addProduction(factory, references)
    const companies = addCompanies(db, random, references, managers, files)
    addDealers(factory, { companies, managers, administrators })
    addNews(db, files)
    addOrders(db, makeRandom(20261102), files)
    addPortraits(db, files)
    addActivity(db, makeRandom(20261103))
    addMessages(db, files)
    claimUploads(db)
  })
}
