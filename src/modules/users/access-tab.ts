import { type Actor, allOf, anyOf, explain, group, isGroup, type Rule } from '../../core/access.ts'
import { describeDenial, describeGrants } from '../../http/access/access-descriptions.ts'
import { personReader } from '../../http/access/person-reader.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import type { Translate } from '../../i18n/translate.ts'
import { type CardFrame, cardPart, type Tab } from '../../records/kind/card.ts'
import type { MenuItem } from '../../view/shell.ts'
import type { User } from './user.ts'
import type { UserType } from './user-type.ts'

export const actionLabels: Record<string, string> = {
  open: 'Open',
  list: 'View list',
  view: 'View details',
  act: 'Do more than read',
  add: 'Add',
  edit: 'Edit details',
  rowEdit: 'Edit from the list',
  price: 'Change prices of many',
  switch: 'Activate and deactivate',
  delete: 'Delete',
  viewWorkSheet: 'View work sheets',
  remind: 'Remind dealers',
  offer: 'Make offers for customers',
  schedule: 'Set order dates',
  viewPayments: 'View payments',
  reportPayment: 'Report payments',
  payFromBalance: 'Pay from balance',
  report: 'Report payments',
  decidePayment: 'Confirm and reject payments',
  assignStatus: 'Assign a status to an order without one',
  'tab.dealers': 'View their companies',
  'tab.deputies': 'Name deputies',
  'tab.record-views': 'See who looked',
  rights: 'Grant and revoke permissions',
  impersonate: 'Impersonate',
  decide: 'Approve or decline',
  restore: 'Restore',
  retry: 'Retry',
}

const accessPage = template<CardFrame & { places?: ReturnType<typeof viewOfPlaces> }>('users/access-tab.njk')

export const accessRule = ({ may }: UserType): Rule<User> => allOf(may.view, anyOf(isGroup(group.administrator)))

export function accessTab(userType: UserType): Tab<User> {
  return {
    name: 'access',
    label: 'Access',
    rule: accessRule(userType),
    ...cardPart(accessPage, ({ server, t }: Context, user: User) => {
      const person = personReader(server.db)(user.id)
      return { places: person?.active ? viewOfPlaces(summarizeAccess(server.registry.menu, person, t)) : undefined }
    }),
  }
}

const columns = ['open', 'list', 'view', 'add', 'edit', 'delete']

/** What somebody may do is read at once; what they may not, with its reasons, when somebody asks. */
function viewOfPlaces(places: ReturnType<typeof summarizeAccess>) {
  const rows = places.map((place) => {
    const others = place.actions.filter(({ name }) => !columns.includes(name))
    return { ...place, more: others.filter(({ can }) => can !== 'no'), refused: others.filter(({ can }) => can === 'no') }
  })
  const isOpen = ({ actions }: (typeof rows)[number]) => actions.some(({ can }) => can !== 'no')
  return { open: rows.filter(isOpen), closed: rows.filter((place) => !isOpen(place)) }
}

export function summarizeAccess(menu: readonly MenuItem[], person: Actor, t: Translate) {
  return menu.map(({ label, rule = [], may = { open: rule } }) => ({
    label: t(label),
    actions: Object.entries(may).map(([name, rule]) => ({
      name,
      label: t(actionLabels[name] ?? name),
      ...describeAccess(rule, person, t),
    })),
  }))
}

const summedUp = { list: 'Viewing', add: 'Adding', edit: 'Editing', delete: 'Deletion' }

/** What somebody may do and where, in a few lines. */
export function sumUpAccess(menu: readonly MenuItem[], person: Actor, t: Translate): { label: string; value: string }[] {
  const places = summarizeAccess(menu, person, t)
  return Object.entries(summedUp).flatMap(([action, label]) => {
    const concerned = places.filter(({ actions }) => actions.some(({ name }) => nameOfColumn(name) === action))
    const open = concerned.filter(({ actions }) => actions.some(({ name, can }) => nameOfColumn(name) === action && can !== 'no'))
    if (open.length === 0) return []
    const all = open.length === concerned.length && open.length > 1
    return { label: t(label), value: all ? t('All sections') : open.map((place) => place.label).join(', ') }
  })
}

/** A page that is no list is opened. */
const nameOfColumn = (action: string) => (action === 'open' ? 'list' : action)

function describeAccess<R>(rule: Rule<R>, person: Actor, t: Translate): { can: 'yes' | 'limited' | 'no'; reasons: string[] } {
  const explanation = explain(rule, person)
  if ('denied' in explanation)
    return { can: 'no', reasons: [...new Set(explanation.denied.flatMap((refused) => describeDenial(refused, t)))] }
  const { limited, reasons } = describeGrants(explanation.granted, person, t)
  return { can: limited ? 'limited' : 'yes', reasons }
}
