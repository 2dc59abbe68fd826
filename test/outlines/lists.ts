import { eq } from 'drizzle-orm'
import { categories, companies, importParts, imports, users } from '../../src/database/schema/index.ts'
import { grant } from '../support/cast.ts'
import { pagesOf } from '../support/every-page.ts'
import { requestTransition } from '../support/orders.ts'
import { content, testOutlines } from '../support/outlines.ts'

testOutlines(
  'references',
  [
    { as: 'root', get: '/stocks' },
    { as: 'root', get: '/stocks?q=south', part: '.list-tools, tbody, .bulk-bar' },
    { as: 'root', get: '/stocks?q=nothing', part: '.empty' },
    { as: 'root', get: '/stocks?q=south', asFragment: true, part: '[hx-swap-oob]' },
    { as: 'pavel', get: '/stocks' },
    { as: 'pavel', get: '/stocks/edit/1' },
    { as: 'root', get: '/manufactures', part: 'h1, .page-actions, .list-search, tr' },
    { as: 'root', get: '/stocks/add', part: `title, ${content}` },
    { as: 'root', post: '/stocks/add', fields: { name: '' }, part: '.record-card' },
    { as: 'root', post: '/stocks/edit/2', fields: { name: 'East', version: '1' } },
    { as: 'root', get: '/manufactures/add', part: '.page-header, .record-form' },
    { as: 'root', get: '/stocks/delete?id=1&id=2' },
    { as: 'root', get: '/stocks/delete?id=1', asFragment: true },
    { as: 'root', get: '/manufactures/delete?id=1', asFragment: true, part: 'h1, ul' },
  ],
  async ({ as, db, cast }) => {
    db.update(users).set({ stock_id: cast.stock }).run()
    const root = await as('root')
    await root.post('/stocks/add', { name: 'South <1>', address: 'Kazan' })
    await root.post('/stocks/edit/2', { name: 'South & West', version: '1' })
  },
)

testOutlines(
  'lists',
  [
    { as: 'root', get: '/dealers?q=e&active=1&sort=company&dir=desc&cols=created_at&size=50', part: `title, ${content}` },
    { as: 'maria', get: '/dealers', part: '.page-header, .list-tools, tr, .bulk-bar' },
    { as: 'root', get: '/categories?page=3', part: '.list-footer, .bulk-bar' },
    { as: 'root', get: '/orders?status=1&choose=filters&created_from=2026-01-02', part: '.list-tabs, .list-tools' },
    { as: 'root', get: '/dealers/change?id=8&id=9', asFragment: true },
    { as: 'root', post: '/dealers/change', fields: { id: [8, 9], account: '0' } },
    { as: 'root', get: '/companies?q=alpha&cols=created_at', part: '.list-tools' },
    { as: 'root', get: '/companies?q=beta', part: '#companies-view' },
    { as: 'root', get: '/orders?choose=category', part: '.list-tools' },
    { as: 'root', post: '/dealers/change', fields: { id: [10, 11], company_id: 999 } },
    { as: 'root', get: '/managers/delete?id=4&id=5' },
    { as: 'root', get: '/managers/edit/4?tab=sessions', part: '.record-card' },
    { as: 'root', get: '/statuses?q=new', asFragment: true },
    { as: 'root', post: '/managers/delete', fields: { id: 5 }, asFragment: true, part: '[hx-swap-oob], .list-footer' },
  ],
  async ({ as, db }) => {
    const names = Array.from({ length: 120 }, (_, number) => ({ name: `Category ${number}` }))
    db.insert(categories).values(names).run()
    await (await as('root')).post('/views', { name: 'Of Beta', address: '/companies?q=beta' })
  },
)

/** The first transition of a new order. */
const sendForSigning = 1

testOutlines(
  'cards',
  [
    { as: 'root', get: '/managers/edit/4', part: `script, ${content}` },
    { as: 'root', get: '/company/edit/1' },
    { as: 'root', get: '/company/edit/1?tab=discounts', part: '.record-card' },
    { as: 'root', get: '/dealers/companies?q=win', asFragment: true },
    { as: 'root', get: '/company/edit/1/files/row?index=7', asFragment: true },
    {
      as: 'root',
      post: '/status/edit/1',
      fields: { transitions: '', 'transitions[0][child_status_id]': '' },
      part: '.error-summary, .has-error',
    },
    { as: 'denis', get: '/orders/1', part: '.flash' },
    { as: 'root', get: '/managers/5/hand-over?deactivate=1' },
    { as: 'clerk', get: '/company/edit/1', part: '.page-header, .save-bar, .file-choice, .repeater, [name=manager_id], [name=org]' },
    { as: 'clerk', get: '/managers/edit/4', part: '.record-form' },
    { as: 'maria', get: '/company/edit/1?tab=overview' },
  ],
  async (cabinet) => {
    const { as, db, cast } = cabinet
    await requestTransition(await as('denis'), cast.order, sendForSigning)
    grant(db, cast.clerk, 'company_can_view', 'manager_can_view')
    db.update(users)
      .set({ image: 'c'.repeat(64), phone: '+7(999) 111 22 33' })
      .where(eq(users.id, cast.maria))
      .run()
    db.update(companies)
      .set({ files: [{ name: 'Contract', file: 'd'.repeat(64) }], inn: '7701234567', manufacture_id: cast.site })
      .where(eq(companies.id, cast.companies.alpha))
      .run()
  },
)

testOutlines(
  'imports',
  [
    { as: 'root', post: '/companies/import', fields: {}, part: '[role=alert], .file-choice, .field-error' },
    { as: 'root', get: '/imports/1?outcome=new', part: '.card:has(.list-table)' },
  ],
  (cabinet) => void pagesOf(cabinet),
)

for (const [state, values] of Object.entries({ saved: { saved_at: 1 }, undone: { saved_at: 1, undone_at: 2 } }))
  testOutlines(`imports-${state}`, [{ as: 'root', get: '/imports/1', part: '#import' }], (cabinet) => {
    pagesOf(cabinet)
    cabinet.db.update(imports).set(values).run()
    const result = {
      row: 2,
      outcome: 'new' as const,
      label: 'Delta Doors',
      id: cabinet.cast.companies.alpha,
      version: 1,
      changes: [],
      problems: [],
    }
    cabinet.db
      .insert(importParts)
      .values({ import_id: 1, results: [result] })
      .run()
  })
