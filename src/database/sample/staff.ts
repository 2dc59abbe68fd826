import { type Group, group } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import { day, firstDay, timestamps, today, workingMoment } from './calendar.ts'
import { russianName } from './names.ts'
import { mobile } from './phones.ts'
import type { Random } from './random.ts'
import type { References } from './references.ts'
import type { Person, RegisterUser } from './users.ts'

export interface UserFactory {
  random: Random
  register: RegisterUser
  mailbox: (person: { lastname: string; name: string }) => string
}

const administratorPosts = ['Руководитель дилерской сети', 'Финансовый контролёр', 'Редактор новостей']
const managerPosts = ['Менеджер по работе с дилерами', 'Старший менеджер', 'Региональный менеджер']
const productionPosts = ['Мастер смены', 'Начальник склада', 'Диспетчер отгрузки', 'Технолог', 'Кладовщик']

const managerRights: PolicyKey[] = [
  'dealer_manager_can_view',
  'dealer_manager_can_edit',
  'dealer_manager_can_delete',
  'company_manager_can_view',
  'company_manager_can_edit',
  'company_manager_can_delete',
  'dealer_can_add',
  'company_can_add',
  'dealer_can_auth',
]

export function addAdministrators(factory: UserFactory): number[] {
  const first = knownAccount('admin@example.com', 'Орлова', 'Екатерина', 'Дмитриевна', 'Администратор системы')
  const rest = administratorPosts.map((position) => makeEmployee(factory, group.administrator, { position }))
  const people = [{ ...makeEmployee(factory, group.administrator, first), superadmin: true, ...timestamps(firstDay) }, ...rest]
  return people.map((person) => factory.register(person))
}

export function addManagers(factory: UserFactory): number[] {
  const first = knownAccount('manager@example.com', 'Воронцова', 'Мария', 'Сергеевна', 'Старший менеджер')
  const rest = Array.from({ length: 11 }, () => makeEmployee(factory, group.manager, { position: factory.random.pick(managerPosts) }))
  const own = factory.register(makeEmployee(factory, group.manager, first), managerRights)
  return [own, ...rest.map((person, index) => factory.register({ ...person, active: index < rest.length - 1 }))]
}

export function addProduction(factory: UserFactory, { stocks, manufactures }: References): void {
  const first = knownAccount('production@example.com', 'Кузнецов', 'Павел', 'Андреевич', 'Начальник производства')
  const posts: Partial<Person>[] = [first, ...productionPosts.map((position) => ({ position }))]
  posts.forEach((post, index) => {
    const place = index % 2
    factory.register(makeEmployee(factory, group.production, { ...post, stock_id: stocks[place], manufacture_id: manufactures[place] }))
  })
}

function knownAccount(email: string, lastname: string, name: string, middlename: string, position: string) {
  return { email, lastname, name, middlename, position, last_auth: null }
}

function makeEmployee({ random, mailbox }: UserFactory, group_id: Group, known: Partial<Person>): Person {
  const named = { ...russianName(random), ...known }
  return {
    group_id,
    email: named.email ?? mailbox(named),
    phone: mobile(random),
    tg_id: random.chance(0.7) ? telegramId(random) : null,
    last_auth: workingMoment(random, today - 30 * day, today),
    ...timestamps(workingMoment(random, firstDay, firstDay + 20 * day)),
    ...named,
  }
}

export function telegramId(random: Random): string {
  return String(random.integer(100_000_000, 2_000_000_000))
}
