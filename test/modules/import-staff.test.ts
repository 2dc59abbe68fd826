import { eq } from 'drizzle-orm'
import t from 'tap'
import { users } from '../../src/database/schema/index.ts'
import { noPassword } from '../../src/modules/users/user.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { checked, csv, outcomesOf, rowsOf, upload } from '../support/imports.ts'

/** An administrator who may add and change managers and production users, but is no superadministrator. */
function asEditor(cabinet: Cabinet) {
  const actions = ['view', 'add', 'edit', 'delete'] as const
  for (const type of ['manager', 'production'] as const)
    grant(cabinet.db, cabinet.cast.admin, ...actions.map((action) => `${type}_can_${action}` as const))
  return cabinet.as('admin')
}

const personOf = ({ db }: Cabinet, email: string) => db.select().from(users).where(eq(users.email, email)).get()

t.test('managers are added and found by their email, without a password, and taken back by the undo', async (t) => {
  const cabinet = await startCabinet(t)
  const editor = await asEditor(cabinet)
  const maria = cabinet.db.select().from(users).where(eq(users.id, cabinet.cast.maria)).get()
  const sheet = csv([
    ['Last name', 'Name', 'Email', 'Phone', 'Active'],
    ['Newman', 'Nora', 'nora@example.com', '+7 900 000-00-01', 'yes'],
    [maria?.lastname ?? '', maria?.name ?? '', maria?.email ?? '', '+7 900 000-00-02', 'yes'],
  ])
  const { path, page } = await checked(editor, 'managers', sheet)
  t.same(outcomesOf(page).toSorted(), ['changed', 'new'])
  t.equal((await editor.post(`${path}/save`)).statusCode, 303)
  t.match(personOf(cabinet, 'nora@example.com'), { lastname: 'Newman', group_id: maria?.group_id, active: true, password: noPassword })
  t.match(personOf(cabinet, maria?.email ?? ''), { id: cabinet.cast.maria, phone: '+7 900 000-00-02', password: maria?.password })
  t.equal((await editor.post(`${path}/undo`)).statusCode, 303)
  t.equal(personOf(cabinet, 'nora@example.com'), undefined)
  t.equal(personOf(cabinet, maria?.email ?? '')?.phone, maria?.phone)
})

t.test('production users get their warehouse and site by name; an email of somebody in another group is refused', async (t) => {
  const cabinet = await startCabinet(t)
  const editor = await asEditor(cabinet)
  const denis = cabinet.db.select().from(users).where(eq(users.id, cabinet.cast.denis)).get()
  const heading = ['Last name', 'Name', 'Email', 'Warehouse', 'Production site']
  const max = ['Maker', 'Max', 'max@example.com', 'North stock', 'First site']
  const sheet = csv([heading, max, ['Lost', 'Lena', 'lena@example.com', 'Nowhere', ''], ['Dealer', 'Denis', denis?.email ?? '', '', '']])
  const { page } = await checked(editor, 'productions', sheet)
  t.same(
    rowsOf(page).map(({ row, outcome }) => [row, outcome]),
    [
      [3, 'refused'],
      [4, 'refused'],
      [2, 'new'],
    ],
    page.body,
  )
  const { path } = await checked(editor, 'productions', csv([heading, max]))
  await editor.post(`${path}/save`)
  t.match(personOf(cabinet, 'max@example.com'), { stock_id: cabinet.cast.stock, manufacture_id: cabinet.cast.site })
  t.equal(personOf(cabinet, denis?.email ?? '')?.id, cabinet.cast.denis)
})

t.test('a sheet gives no manager a higher discount than its sender may give, and managers import none', async (t) => {
  const cabinet = await startCabinet(t)
  const sheet = csv([
    ['Last name', 'Name', 'Email', '"Highest agreed discount, %"'],
    ['Newman', 'Nora', 'nora@example.com', '50'],
  ])
  const { path } = await checked(await asEditor(cabinet), 'managers', sheet)
  await (await asEditor(cabinet)).post(`${path}/save`)
  t.not(personOf(cabinet, 'nora@example.com')?.discount_limit, 50)
  const bySuperadministrator = await checked(await cabinet.as('root'), 'managers', sheet)
  await (await cabinet.as('root')).post(`${bySuperadministrator.path}/save`)
  t.equal(personOf(cabinet, 'nora@example.com')?.discount_limit, 50)
  t.equal((await upload(await cabinet.as('maria'), 'managers', sheet)).statusCode, 403)
})
