import { eq } from 'drizzle-orm'
import { users } from '../../src/database/schema/index.ts'
import type { Cabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { testOutlines } from '../support/outlines.ts'

async function change({ as, cast }: Cabinet) {
  const [root, maria] = [await as('root'), await as('maria')]
  await root.post('/categories/add', { name: 'Doors' })
  await maria.post(`/dealers/edit/${cast.denis}`, { name: 'Dennis', phone: '+7(999) 111 22 33', version: '1' })
  await root.get(`/impersonate/${cast.maria}`)
  await root.post(`/company/edit/${cast.companies.alpha}`, { org: 'Alpha & Sons', discounts: '' })
  await root.post('/impersonate/leave')
  await root.post(`/managers/edit/${cast.plain}`, { password: 'another good password' })
  await root.post('/dealers/delete', { id: [cast.vera, cast.roman] })
  await root.post('/stocks/delete', { id: cast.stock })
}

testOutlines(
  'history',
  [
    { as: 'root', get: '/activity?q=alpha&action=update', part: '.list-tools, tbody' },
    { as: 'root', get: '/activity?actor=4', part: '.tag, tbody' },
    { as: 'maria', get: '/company/edit/1?tab=history' },
    { as: 'root', get: '/', part: 'section:has(#activity-title)' },
  ],
  async (cabinet) => {
    await change(cabinet)
    grant(cabinet.db, cabinet.cast.maria, 'activity_can_view')
  },
)

testOutlines(
  'trash',
  [
    { as: 'root', get: '/bin', part: 'title, #main' },
    { as: 'maria', get: '/bin?q=vera&kind=dealers', part: '.page-header, .list-tools, tbody' },
    { as: 'denis', get: '/bin', part: 'h1, .empty' },
    { as: 'root', post: '/bin/1/restore', fields: {} },
    { as: 'admin', get: '/bin?q=nothing', part: '.empty' },
  ],
  async (cabinet) => {
    const { as, db, cast } = cabinet
    await change(cabinet)
    db.update(users).set({ email: 'Vera@example.com' }).where(eq(users.id, cast.clerk)).run()
    await (await as('root')).post('/categories/delete', { id: cast.category })
  },
)

testOutlines(
  'security-log',
  [
    { as: 'root', get: '/security-log' },
    { as: 'root', get: '/security-log?user=6&event=password-changed', part: '.list-tools, tbody' },
    { as: 'root', get: '/managers/edit/6?tab=security-log' },
  ],
  change,
)
