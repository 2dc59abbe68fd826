import { companies, settings } from '../../src/database/schema/index.ts'
import { grant } from '../support/cast.ts'
import { content, testOutlines } from '../support/outlines.ts'

testOutlines(
  'frame',
  [
    { as: 'root', get: '/profile', part: 'html, .record-form' },
    { as: 'maria', get: '/dealers', part: '.sidebar' },
    { as: 'denis', get: '/orders?waiting=1', part: 'title, .person, .sidebar' },
    { as: 'pavel', get: '/stocks', part: '.account-name, .sidebar' },
    { get: '/login', part: 'html' },
    { as: 'root', get: '/nothing', part: `title, ${content}` },
    { as: 'root', get: '/nothing', asFragment: true },
    { as: 'plain', get: '/dealers' },
    { as: 'plain', get: '/dealers', asFragment: true },
    { as: 'clerk', get: '/profile', part: '#impersonation, .person, .account-name, .record-form' },
  ],
  async ({ as, cast, db }) => {
    grant(db, cast.clerk, 'manager_can_auth')
    await (await as('clerk')).get(`/impersonate/${cast.maria}`)
  },
)

testOutlines(
  'frame-of-an-organization',
  [
    { as: 'denis', get: '/stocks', part: 'html' },
    { get: '/login', part: 'title, .sign-in' },
    { as: 'denis', get: '/orders/1/sheet', part: 'html' },
  ],
  ({ db }) =>
    db
      .update(settings)
      .set({ name: 'Windows & Co', logo: 'a'.repeat(64), accent: '#204080', currency_symbol: '€', decimals: 0 })
      .run(),
)

testOutlines(
  'search',
  [
    { as: 'root', get: '/find?q=denis', part: `title, ${content}` },
    { as: 'root', get: '/find?q=zebra', part: '#found' },
    { as: 'root', get: '/find?q=add', part: '#found' },
    { as: 'denis', get: '/find?q=add', part: '#found' },
    { as: 'root', get: '/find?q=no+such+thing', asFragment: true },
  ],
  ({ db }) =>
    db
      .insert(companies)
      .values([1, 2, 3, 4, 5, 6].map((number) => ({ org: `Zebra ${number}`, inn: `770123456${number}` })))
      .run(),
)
