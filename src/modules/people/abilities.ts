import type { FastifyRequest } from 'fastify'
import { type Actor, all, anyOf, explain, group, isGroup, type Rule } from '../../core/access.ts'
import { prepared } from '../../database/prepared.ts'
import type { Tab } from '../../web/card/tabs.ts'
import type { MenuItem } from '../../web/http.ts'
import type { Translate } from '../../web/i18n/translate.ts'
import { grantsOf, reasonsOf } from '../../web/reasons.ts'
import { personReader } from '../../web/session.ts'
import type { User } from './accounts.ts'
import type { Kind } from './kind.ts'

/** How the actions that menu entries name are called. */
export const actionLabels: Record<string, string> = {
  open: 'Open',
  list: 'Open the list',
  view: 'Open a card',
  add: 'Add',
  edit: 'Change the data',
  rowEdit: 'Change from the list',
  switch: 'Switch on and off',
  delete: 'Delete',
  settle: 'Give a status to an order without one',
  'tab.dealers': 'See their companies',
  rights: 'Grant and withdraw rights',
  impersonate: 'Sign in as one of them',
  decide: 'Grant or decline',
  restore: 'Restore',
  retry: 'Try again',
}

const readPerson = prepared(personReader)

/** The tab that tells an administrator what this person can do in the cabinet, and why. */
export function abilitiesTab(kind: Kind): Tab<User> {
  return {
    name: 'access',
    label: 'What they can do',
    rule: all(kind.may.view, anyOf(isGroup(group.administrator))),
    template: 'people/abilities.njk',
    load: ({ server, t }: FastifyRequest, user) => {
      const person = readPerson(server.db)(user.id)
      return { places: person?.active ? abilitiesOf(server.menu, person, t) : undefined }
    },
  }
}

/** Every place of the menu with its actions, each with whether the person can and why. */
export function abilitiesOf(menu: readonly MenuItem[], person: Actor, t: Translate) {
  return menu.map(({ label, rule = [], may = { open: rule } }) => ({
    label: t(label),
    actions: Object.entries(may).map(([name, rule]) => ({ name, label: t(actionLabels[name] ?? name), ...ability(rule, person, t) })),
  }))
}

function ability<R>(rule: Rule<R>, person: Actor, t: Translate): { can: 'yes' | 'limited' | 'no'; reasons: string[] } {
  const explanation = explain(rule, person)
  if ('refused' in explanation) return { can: 'no', reasons: [...new Set(explanation.refused.flatMap((refused) => reasonsOf(refused, t)))] }
  const { limited, reasons } = grantsOf(explanation.granted, person, t)
  return { can: limited ? 'limited' : 'yes', reasons }
}
