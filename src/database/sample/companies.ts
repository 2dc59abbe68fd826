import type { Database } from '../open.ts'
import { categoryCompany, companies } from '../schema/index.ts'
import { dateOf, daysAgo, readContent, type SampleFiles, timestamps } from './content.ts'
import type { References } from './references.ts'

type Columns = typeof companies.$inferInsert

type SampleCompany = Omit<Columns, 'search'> & {
  stock?: string
  manufacture?: string
  manager?: string
  discounts?: Record<string, number>
  /** Days ago. */
  created: number
  signed?: number
}

export function addCompanies(db: Database, references: References, staff: ReadonlyMap<string, number>, files: SampleFiles): void {
  readContent<SampleCompany[]>('companies').forEach((company, index) => {
    const { stock, manufacture, manager, discounts, created, signed, ...columns } = company
    const row = {
      ...columns,
      stock_id: references.stocks.get(stock ?? ''),
      manufacture_id: references.manufactures.get(manufacture ?? ''),
      manager_id: staff.get(manager ?? '') ?? null,
      files: filesOf(index, files),
      ...(signed !== undefined && contract(index, daysAgo(signed))),
      ...timestamps(daysAgo(created)),
    }
    const company_id = Number(db.insert(companies).values(row).run().lastInsertRowid)
    for (const [category, discount] of Object.entries(discounts ?? {}))
      db.insert(categoryCompany)
        .values({ company_id, category_id: references.categories.get(category) as number, discount })
        .run()
  })
}

function contract(index: number, at: number) {
  const contract_date = dateOf(at)
  return { contract_number: `Д-${101 + index}/${contract_date.slice(2, 4)}`, contract_date }
}

function filesOf(index: number, { documents }: SampleFiles): Columns['files'] {
  const titles = { contract: 'Договор поставки', appendix: 'Приложение 1' }
  return Object.entries(titles).flatMap(([document, name], at) => {
    const file = documents[document]
    return file && index % (at + 2) > 0 ? { name, file: file.key } : []
  })
}
