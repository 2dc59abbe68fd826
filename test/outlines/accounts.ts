import { orders, passkeys, secondFactors, settings } from '../../src/database/schema/index.ts'
import { password } from '../support/cast.ts'
import { content, testOutlines } from '../support/outlines.ts'

testOutlines(
  'profile',
  [
    { as: 'denis', get: '/profile', part: `title, .page-header, .record-card` },
    { as: 'root', get: '/profile?tab=sessions' },
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

testOutlines(
  'profile-secured',
  [
    { as: 'root', post: '/profile/tokens', fields: { name: 'Excel', read_only: '1' }, part: 'head script, .api-tokens' },
    { as: 'root', get: '/profile?tab=security', part: '.passkeys, .api-tokens table' },
    { as: 'mikhail', get: '/profile?tab=security', part: '.card-body:not(.passkeys, .api-tokens), .passkey-form' },
    { as: 'mikhail', post: '/profile/factor/codes', fields: {}, part: '.card-body:not(.passkeys, .api-tokens)' },
  ],
  async ({ as, db, cast }) => {
    await as('mikhail')
    const key = { public_key: '', transports: [], user_handle: 'x', counter: 0 }
    const made = { created_at: Date.now(), user_id: cast.root }
    db.insert(passkeys)
      .values([
        { ...key, ...made, name: 'Phone <1>', credential_id: 'a', last_used_at: Date.now() },
        { ...key, ...made, name: 'Laptop', credential_id: 'b' },
      ])
      .run()
    db.insert(secondFactors)
      .values({ user_id: cast.mikhail, secret: 'A'.repeat(32), last_step: 0, created_at: Date.now() })
      .run()
  },
)

testOutlines(
  'settings-made',
  [
    { as: 'root', get: '/settings', part: '.field:has(.file-choice, [data-color-field], #sign_in_note, #currency_symbol), .required-mark' },
    { as: 'root', post: '/settings', fields: { name: 'x'.repeat(61), accent: 'red' }, part: '#messages, .error-summary, .has-error' },
    { as: 'denis', get: '/', part: 'html > head > link, .brand, title' },
  ],
  ({ db }) =>
    db
      .update(settings)
      .set({ logo: 'a'.repeat(64), logo_dark: 'b'.repeat(64), accent: '#204080', sign_in_note: 'Call\n8 800', currency_symbol: '€' })
      .run(),
)
