import { asc, or, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { all, anyOf, group, has, holding } from '../../core/access.ts'
import { searchText } from '../../core/text.ts'
import type { Database } from '../../database/open.ts'
import { manufactures, stocks, users } from '../../database/schema/index.ts'
import { choice } from '../../web/form/fields.ts'
import type { Form, Values } from '../../web/form/form.ts'
import { firstLine } from '../../web/list/search.ts'
import { type PersonFacts, sparingOneself, sparingSuperadministrators } from '../people/access.ts'
import { personLabel, userFinder } from '../people/accounts.ts'
import { staffFields } from '../people/fields.ts'
import type { Kind } from '../people/kind.ts'
import { findStaff, staffColumns, staffRows } from '../people/list.ts'

const { image, lastname, name, middlename, position, phone, email, password, last_auth, active } = staffFields

const form: Form = {
  name: 'productions',
  groups: [
    { title: 'Person', fields: { image, lastname, name, middlename, position, phone } },
    { title: 'Workplace', fields: { stock_id: choice('Stock'), manufacture_id: choice('Production site') } },
    { title: 'Sign-in', fields: { email, password, last_auth, active } },
  ],
}

/** Production users (group 4). As specified, the actions of their rows borrow the managers' policies. */
export function productions({ db, rules }: FastifyInstance): Kind {
  const list = anyOf<PersonFacts>(has('production_can_view'))
  return {
    name: 'productions',
    group: group.production,
    icon: 'tools',
    title: 'Production',
    roleLabel: 'Production user',
    addLabel: 'Add a production user',
    newTitle: 'New production user',
    created: 'The production user has been registered.',
    question: 'Delete {count} production users?',
    done: '{count} production users deleted.',
    may: {
      list,
      view: list,
      add: anyOf(has('production_can_add')),
      edit: all(holding(list), anyOf(has('production_can_edit')), sparingSuperadministrators),
      switch: all(holding(list), anyOf(has('production_can_edit')), sparingSuperadministrators, sparingOneself),
      delete: all(holding(list), anyOf(has(rules.productionRowDelete)), sparingSuperadministrators, sparingOneself),
      rowEdit: all(holding(list), anyOf(has(rules.productionRowEdit))),
    },
    form,
    choices: () => ({ stock_id: placesOf(db, stocks), manufacture_id: placesOf(db, manufactures) }),
    find: userFinder(group.production),
    searchOf: productionSearch,
    list: () => ({
      columns: [
        ...staffColumns,
        { key: 'stock', label: 'Stock', sort: sql`${stocks.search}` },
        { key: 'manufacture', label: 'Production site', sort: sql`${manufactures.search}` },
        { key: 'tg_id', label: 'Telegram' },
        { key: 'active', label: 'Active' },
      ],
      joins: sql`left join ${stocks} on ${stocks.id} = ${users.stock_id} left join ${manufactures} on ${manufactures.id} = ${users.manufacture_id}`,
      sort: { key: 'lastname', dir: 'asc' },
      find: (word) => or(findStaff(word), placed(stocks, word), placed(manufactures, word)),
      rows: staffRows(db),
      template: 'people/rows.njk',
    }),
    bulk: false,
    emailUnique: true,
    rights: 'production_can_edit_policy',
  }
}

type Place = typeof stocks | typeof manufactures

/** Everything the list shows of a person but the messenger, which is not searched here. */
function productionSearch(user: Values): string {
  return searchText(personLabel(user), user.email as string, user.phone as string | null)
}

/** People of a stock or site whose name, the first line of its folded text, contains a word. */
function placed(place: Place, word: string) {
  const column = place === stocks ? users.stock_id : users.manufacture_id
  return sql`${column} in (select ${place.id} from ${place} where instr(${firstLine(place.search)}, ${word}) > 0)`
}

function placesOf(db: Database, place: Place) {
  return db.select({ id: place.id, name: place.name }).from(place).orderBy(asc(place.search), asc(place.id)).all()
}
