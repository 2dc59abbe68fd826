import { eq } from 'drizzle-orm'
import { type Database, write } from '../open.ts'
import { uploads, users } from '../schema/index.ts'
import { addActivity } from './activity.ts'
import { addCompanies } from './companies.ts'
import { daysAgo, noFiles, type SampleFiles } from './content.ts'
import { addCreditTerms } from './credit.ts'
import { addMessages } from './messages.ts'
import { addNews } from './news.ts'
import { addOrders } from './orders.ts'
import { addPayments } from './payments.ts'
import { addDealers, addStaff, makeUserWriter } from './people.ts'
import { addContractPrices, addProducts } from './products.ts'
import { addReferences } from './references.ts'
import { addSupplier } from './supplier.ts'

export function loadSample(db: Database, passwordHash: string, files: SampleFiles = noFiles): void {
  write(db, () => {
    const addUser = makeUserWriter(db, passwordHash)
    const references = addReferences(db)
    addSupplier(db)
    addProducts(db, references)
    const staff = addStaff(addUser, references, files)
    addCompanies(db, references, staff, files)
    addContractPrices(db)
    addDealers(db, addUser, staff)
    addNews(db, files)
    addOrders(db, files)
    addPayments(db, files)
    addCreditTerms(db)
    addActivity(db)
    addMessages(db, files)
    claimUploads(db)
  })
}

function claimUploads(db: Database): void {
  const admin = db.select({ id: users.id }).from(users).where(eq(users.superadmin, true)).get()
  const claim = { user_id: admin?.id, at: daysAgo(550) }
  db.update(uploads).set(claim).where(eq(uploads.user_id, 0)).run()
}
