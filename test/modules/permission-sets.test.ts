import { eq } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { roleDefaults } from '../../src/core/access.ts'
import type { PolicyKey } from '../../src/core/policies.ts'
import { permissionSets, users } from '../../src/database/schema/index.ts'
import { rightsOf } from '../../src/modules/users/rights/rights.ts'
import { type Cabinet, startCabinet } from '../support/cabinet.ts'
import { grant } from '../support/cast.ts'
import { elementById, elementsOf, fieldOf, parseHtml, textOf, textsByRole } from '../support/html.ts'

const granted = ({ db }: Cabinet, userId: number) =>
  rightsOf(db, userId)
    .filter(({ value }) => value)
    .map(({ key }) => key)
    .sort()

const setNamed = ({ db }: Cabinet, name: string) => {
  const set = db.select().from(permissionSets).where(eq(permissionSets.name, name)).get()
  if (!set) throw new Error(`no set ${name}`)
  return set
}

t.test('a new installation has four permission sets, and applying one gives a user exactly its permissions', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const path = `/managers/edit/${cabinet.cast.plain}`
  const names = cabinet.db.select().from(permissionSets).all()
  t.same(names.map(({ name }) => name).sort(), ['Accountant', 'Manager', 'Senior manager', 'Viewer'])
  const manager = setNamed(cabinet, 'Manager')
  t.equal((await root.post(`${path}/rights`, { set: manager.id })).statusCode, 303)
  t.same(granted(cabinet, cabinet.cast.plain), [...manager.keys].sort())
  const viewer = setNamed(cabinet, 'Viewer')
  await root.post(`${path}/rights`, { set: viewer.id })
  t.same(granted(cabinet, cabinet.cast.plain), [...viewer.keys].sort(), 'what is not in the set is revoked')
  const page = parseHtml((await root.get(`${path}?tab=rights`)).body)
  t.match(page(`.permission-set:has([name=set][value=${viewer.id}])`).text(), /No change/, 'the tab says that nothing would change')
})

t.test('default permission sets have their names in the language of each reader, who replaces them by these names', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const root = await cabinet.as('root')
  const path = `/managers/edit/${cabinet.cast.plain}`
  const russian = { 'accept-language': 'ru' }
  const shown = async (headers = {}) => {
    const page = parseHtml((await root.get(`${path}?tab=rights`, headers)).body)
    return page('.permission-set summary')
      .toArray()
      .map((button) => page(button).contents().first().text().trim())
      .sort()
  }
  t.same(await shown(), ['Accountant', 'Manager', 'Senior manager', 'Viewer'])
  t.same(await shown(russian), ['Бухгалтер', 'Менеджер', 'Наблюдатель', 'Старший менеджер'])
  const adding = parseHtml((await root.get('/managers/add', russian)).body)
  t.match(adding('select[name=permission_set]').text(), 'Старший менеджер')
  await root.post('/permission-sets', { name: 'Менеджер', user_id: cabinet.cast.plain }, russian)
  t.same(await shown(russian), ['Бухгалтер', 'Менеджер', 'Наблюдатель', 'Старший менеджер'])
  t.same([...setNamed(cabinet, 'Manager').keys].sort(), granted(cabinet, cabinet.cast.plain))
})

/** An administrator who may edit the rights of managers, and holds few others. */
async function signInEditor({ as, cast }: Cabinet) {
  const root = await as('root')
  for (const key of ['manager_can_view', 'manager_can_edit_policy', 'stock_can_view'])
    await root.post(`/admins/edit/${cast.clerk}/rights/${key}`, { value: 1 })
  return as('clerk')
}

t.test('applying a set or copying permissions grants nothing that the user doing so does not have', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const editor = await signInEditor(cabinet)
  const held = new Set(granted(cabinet, cabinet.cast.clerk))
  const viewer = setNamed(cabinet, 'Viewer')
  t.ok(
    viewer.keys.some((key) => !held.has(key)),
    'the set holds more than the editor',
  )
  const answer = await editor.post(`/managers/edit/${cabinet.cast.plain}/rights`, { set: viewer.id })
  t.equal(answer.statusCode, 303)
  const before = new Set<PolicyKey>(roleDefaults[3])
  for (const key of granted(cabinet, cabinet.cast.plain)) t.ok(held.has(key) || before.has(key), `${key} is the editor's to give`)
  t.match((await editor.get('/managers')).body, /Skipped because you do not have them: \d+/, 'says how many were left out')
})

t.test('copying gives a user exactly the permissions of a colleague; users of other groups are refused (422)', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const root = await cabinet.as('root')
  const path = `/managers/edit/${cast.plain}/rights`
  t.equal((await root.post(path, { copy_from: cast.maria })).statusCode, 303)
  t.same(granted(cabinet, cast.plain), granted(cabinet, cast.maria))
  for (const [name, value] of [
    ['copy_from', cast.denis],
    ['copy_from', 999999],
    ['copy_from', 'x'],
    ['set', 999999],
    ['set', ''],
  ] as const)
    t.equal((await root.post(path, { [name]: value })).statusCode, 422, `${name} ${value}`)
  t.same(granted(cabinet, cast.plain), granted(cabinet, cast.maria), 'a refused request changes nothing')
})

t.test("a superadministrator saves a user's permissions as a set, replaces it by name and deletes it", async (t: Test) => {
  const cabinet = await startCabinet(t)
  const { cast } = cabinet
  const root = await cabinet.as('root')
  t.equal((await root.post('/permission-sets', { name: ' Team lead ', user_id: cast.maria })).statusCode, 303)
  t.same([...setNamed(cabinet, 'Team lead').keys].sort(), granted(cabinet, cast.maria))
  await root.post('/permission-sets', { name: 'Team lead', user_id: cast.plain })
  const { id, keys } = setNamed(cabinet, 'Team lead')
  t.same([...keys].sort(), granted(cabinet, cast.plain))
  for (const name of ['', ' ', 'x'.repeat(61)])
    t.equal((await root.post('/permission-sets', { name, user_id: cast.maria })).statusCode, 422)
  for (const user_id of [999999, 'x', ''])
    t.equal((await root.post('/permission-sets', { name: 'Of nobody', user_id })).statusCode, 422, `of ${user_id}`)
  t.throws(() => setNamed(cabinet, 'Of nobody'), 'nothing is saved')
  const editor = await signInEditor(cabinet)
  t.equal((await editor.post('/permission-sets', { name: 'Mine', user_id: cast.maria })).statusCode, 403)
  t.equal((await editor.post(`/permission-sets/${id}/delete`, {})).statusCode, 403)
  t.equal((await root.post(`/permission-sets/${id}/delete`, {})).statusCode, 303)
  t.throws(() => setNamed(cabinet, 'Team lead'))
})

t.test('the tab says what each set would change, and offers the permissions of active colleagues', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const editor = await signInEditor(cabinet)
  const root = await cabinet.as('root')
  const path = `/managers/edit/${cast.plain}`
  const forms = parseHtml((await root.get(`${path}?tab=rights`)).body)('#permission-sets')
  t.ok(forms.find('[name=copy_from]').is('[required]'), 'a colleague must be chosen')
  const name = forms.find('[name=name]')
  t.same([name.is('[required]'), name.attr('maxlength')], [true, '60'], 'a set needs a name that fits')
  t.equal(forms.find('[name=set]').first().attr('aria-label'), 'Apply set: Accountant', 'sets are heard apart')
  grant(db, cast.plain, 'company_can_edit')
  const viewer = setNamed(cabinet, 'Viewer')
  const told = async (browser: typeof root) =>
    textOf(
      parseHtml((await browser.get(`${path}?tab=rights`)).body)(`.permission-set:has([name=set][value=${viewer.id}]) summary`).toString(),
    )
  const added = viewer.keys.filter((key) => !roleDefaults[3].includes(key))
  t.equal(await told(root), `Viewer +${added.length} −3`)
  const details = parseHtml((await root.get(`${path}?tab=rights`)).body)(`.permission-set:has([name=set][value=${viewer.id}]) p`)
  t.match(details.first().text(), /^Will be granted: .*View all companies/)
  t.equal(details.last().text(), 'Will be revoked: Edit all companies, Edit customer offers, Issue documents')
  const held = granted(cabinet, cast.clerk)
  const possible = added.filter((key) => held.includes(key)).length
  t.equal(await told(editor), `Viewer +${possible} −3 · you cannot grant ${added.length - possible}`)

  db.update(users).set({ active: false }).where(eq(users.id, cast.mikhail)).run()
  const copied = fieldOf(await root.get(`${path}?tab=rights`), 'copy_from')?.options.map(({ value, text }) => [value, text])
  const colleague = [String(cast.maria), 'Petrova Maria Ivanovna']
  t.same(copied, [['', ''], colleague], 'nobody inactive, of another group, or themselves')
  const newcomer = { group_id: 3, email: 'abramov@example.com', password: 'x', lastname: 'Abramov', name: 'Ivan' }
  const later = db.insert(users).values(newcomer).returning().get().id
  const names = fieldOf(await root.get(`${path}?tab=rights`), 'copy_from')?.options.map(({ value }) => value)
  t.same(names, ['', String(later), String(cast.maria)], 'by name, whoever was added first')
  t.ok(fieldOf(await root.get(`${path}?tab=rights`), 'user_id'))
  t.notOk(fieldOf(await editor.get(`${path}?tab=rights`), 'user_id'), 'sets are saved by superadministrators')
  t.notMatch((await editor.get(`${path}?tab=rights`)).body, `/permission-sets/${viewer.id}/delete`)
})

t.test('a message says how many permissions were granted and revoked', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const root = await cabinet.as('root')
  grant(db, cast.plain, 'company_can_edit', 'stock_can_edit')
  const viewer = setNamed(cabinet, 'Viewer')
  const answer = await root.post(`/managers/edit/${cast.plain}/rights`, { set: viewer.id })
  t.equal(answer.headers.location, `/managers/edit/${cast.plain}?tab=rights`)
  t.same(textsByRole(await root.get(`/managers/edit/${cast.plain}?tab=rights`), 'status').slice(0, 1), [
    `Permissions of Plainer Peter: granted ${viewer.keys.filter((key) => !roleDefaults[3].includes(key)).length}, revoked 4`,
  ])
})

t.test('50 permission sets can be saved; one of them can still be replaced', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const root = await cabinet.as('root')
  const save = (name: string, user_id = cast.maria) => root.post('/permission-sets', { name, user_id })
  const count = () => db.select().from(permissionSets).all().length
  for (let number = count() + 1; number <= 49; number++)
    db.insert(permissionSets)
      .values({ name: `Set ${number}`, keys: [] })
      .run()
  t.equal((await save('x'.repeat(60))).statusCode, 303, 'the fiftieth, with a name of 60 characters')
  const refused = await save('One more')
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), 'You can save up to 50 sets')
  t.equal((await save('Set 10')).statusCode, 303)
  t.same([...setNamed(cabinet, 'Set 10').keys].sort(), granted(cabinet, cast.maria))
  t.equal(count(), 50)
  await root.post(`/permission-sets/${setNamed(cabinet, 'Set 11').id}/delete`)
  t.same(textsByRole(await root.get('/'), 'status').slice(0, 1), ['Permission set "Set 11" deleted'])
  t.equal(count(), 49, 'one is deleted and no other')
})

t.test('a new user is given the chosen permission set by whoever may edit permissions', async (t: Test) => {
  const cabinet = await startCabinet(t)
  const { cast, db } = cabinet
  const [root, editor] = [await cabinet.as('root'), await signInEditor(cabinet)]
  grant(db, cast.clerk, 'manager_can_add')
  const viewer = setNamed(cabinet, 'Viewer')
  const add = async (browser: typeof root, email: string) => {
    const fields = { lastname: 'New', name: 'One', email, password: 'a good password', active: 1, permission_set: viewer.id }
    await browser.post('/managers/add', fields)
    return granted(cabinet, db.select().from(users).where(eq(users.email, email)).get()?.id ?? 0)
  }
  t.match(
    fieldOf(await root.get('/managers/add'), 'permission_set')?.options.map(({ text }) => text),
    ['Not selected', 'Accountant', 'Manager', 'Senior manager', 'Viewer'],
  )
  t.same(await add(root, 'first@example.com'), [...viewer.keys].sort())
  const held = granted(cabinet, cast.clerk)
  t.same(
    await add(editor, 'second@example.com'),
    [...viewer.keys].filter((key) => held.includes(key)).sort(),
    'nothing that they do not hold',
  )
  const admin = await cabinet.as('admin')
  grant(db, cast.admin, 'manager_can_view', 'manager_can_add')
  const page = await admin.get('/managers/add')
  t.ok(elementById(page, 'email'))
  t.notOk(fieldOf(page, 'permission_set'), 'who may edit no permissions chooses none')
  t.same(await add(admin, 'third@example.com'), [...roleDefaults[3]].sort())
})

t.test('a set says which permissions it would grant and revoke before it is applied, and is deleted elsewhere', async (t) => {
  const { as, cast } = await startCabinet(t)
  const page = (await (await as('root')).get(`/managers/edit/${cast.maria}?tab=rights`)).body
  const sets = elementsOf(page, '.permission-set')
  t.ok(sets.length > 0)
  for (const set of sets) {
    const [, more = '', fewer = ''] = /\+(\d+) −(\d+)/.exec(textOf(set)) ?? []
    const listed = (word: string) => new RegExp(`Will be ${word}: (.*?)(?= Will be| Apply|$)`).exec(textOf(set))?.[1]
    t.equal(Boolean(listed('granted')), Number(more) > 0)
    t.equal(Boolean(listed('revoked')), Number(fewer) > 0)
    t.equal(elementsOf(set, '[name=set]').length, 1)
    t.notMatch(set, '/delete')
  }
  t.equal(elementsOf(page, '#delete-sets form[action$="/delete"]').length, sets.length)
})
