import { asc, type SQL, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { contains, digitsOf } from '../../../database/contains.ts'
import type { Database } from '../../../database/open.ts'
import { manufactures, stocks, users } from '../../../database/schema/index.ts'
import { choice } from '../../../web/form/fields.ts'
import { form } from '../../../web/form/form.ts'
import { findUserInGroup } from '../accounts.ts'
import { staffFields } from '../fields.ts'
import { activeColumn, staffColumns, staffRows } from '../list.ts'
import { staffRules } from '../staff-rules.ts'
import type { UserType } from '../user-type.ts'

const { image, lastname, name, middlename, position, phone, email, password, invite, permission_set, last_auth, active } = staffFields

const productionForm = form({
  name: 'productions',
  groups: [
    { title: 'Personal details', fields: { image, lastname, name, middlename, position, phone } },
    { title: 'Workplace', fields: { stock_id: choice('Warehouse'), manufacture_id: choice('Production site') } },
    { title: 'Sign-in', fields: { email, password, invite, permission_set, last_auth, active } },
  ],
})

/** Production users (group 4). As specified, the actions of their rows use the managers' policies. */
export function productionType({ db, rules }: FastifyInstance): UserType {
  return {
    name: 'productions',
    paths: {
      list: '/productions',
      add: '/productions/add',
      delete: '/productions/delete',
      edit: '/productions/edit/:id',
      rights: '/productions/edit/:id/rights',
      active: '/productions/:id/active',
    },
    group: group.production,
    icon: 'tools',
    title: groupNames[group.production],
    roleLabel: 'Production user',
    addLabel: 'Add production user',
    newTitle: 'New production user',
    created: 'Production user {name} added',
    question: 'Delete {count} production users?',
    done: '{count} production users deleted',
    may: staffRules(rules, 'productions'),
    form: productionForm,
    choices: () => ({ stock_id: workplaceChoices(db, stocks), manufacture_id: workplaceChoices(db, manufactures) }),
    find: findUserInGroup(group.production),
    list: () => ({
      columns: [
        ...staffColumns,
        { key: 'stock', label: 'Warehouse', sort: sql`${stocks.search}` },
        { key: 'manufacture', label: 'Production site', sort: sql`${manufactures.search}` },
        { key: 'tg_id', label: 'Telegram' },
        activeColumn,
      ],
      joins: sql`left join ${stocks} on ${stocks.id} = ${users.stock_id} left join ${manufactures} on ${manufactures.id} = ${users.manufacture_id}`,
      sort: { key: 'lastname', dir: 'asc' },
      find: productionContains,
      rows: staffRows(db),
    }),
    bulk: false,
    emailUnique: true,
    rightsPolicy: 'production_can_edit_policy',
  }
}

type WorkplaceTable = typeof stocks | typeof manufactures

function productionContains(word: string): SQL {
  const { lastname, name, middlename, email, phone } = users
  return contains(
    sql`concat_ws(char(10), ${lastname}, ${name}, ${middlename}, ${email}, ${phone}, ${digitsOf(phone)}, ${nameOf(stocks)}, ${nameOf(manufactures)})`,
    word,
  )
}

function nameOf(workplaces: WorkplaceTable): SQL {
  const column = workplaces === stocks ? users.stock_id : users.manufacture_id
  return sql`(select ${workplaces.name} from ${workplaces} where ${workplaces.id} = ${column})`
}

function workplaceChoices(db: Database, workplaces: WorkplaceTable) {
  return db.select({ id: workplaces.id, name: workplaces.name }).from(workplaces).orderBy(asc(workplaces.search), asc(workplaces.id)).all()
}
