import { orders } from '../../src/database/schema/index.ts'
import { password } from '../support/cast.ts'
import { content, testOutlines } from '../support/outlines.ts'

testOutlines(
  'profile',
  [
    { as: 'denis', get: '/profile', part: `title, .page-header, .record-card` },
    { as: 'root', get: '/profile?tab=security' },
    { as: 'root', get: '/profile?tab=sessions' },
    { as: 'maria', get: '/profile?tab=sessions', part: '.record-card' },
    { as: 'maria', post: '/profile', fields: { lastname: '', password: 'short', version: '1' }, part: '.error-summary, .has-error' },
    { as: 'maria', post: '/profile/factor', fields: { code: '1' }, part: '#factor-error, .code-form' },
    { as: 'maria', post: '/profile/tokens', fields: { name: '', expires: '' }, part: '.api-tokens' },
  ],
  async ({ as, newBrowser }) => {
    await as('root')
    const elsewhere = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/130.0' }
    await newBrowser().post('/login', { email: 'root@example.com', password }, elsewhere)
  },
)

testOutlines(
  'settings',
  [
    { as: 'root', get: '/settings', part: `title, ${content}` },
    { as: 'root', get: '/settings?tab=environment', part: '.record-card' },
    { as: 'root', get: '/', part: 'section:has(#first-steps-title)' },
  ],
  async ({ as, db }) => {
    await (await as('root')).post('/first-steps', { step: 'workflow' })
    db.delete(orders).run()
  },
)
