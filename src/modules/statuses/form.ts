import type { FastifyRequest } from 'fastify'
import { statusNameFor } from '../../core/default-workflow.ts'
import { partyLabels, performerLabels } from '../../core/labels.ts'
import { type Flag, flags, forcibleFields, requirableFields } from '../../core/transition-rules.ts'
import { choice, color, type Field, FieldError, type FormPage, form, repeater, several, text, toggle } from '../../web/form/form.ts'
import { allStatuses, type Status } from './status.ts'
import { transitionsOf } from './transition-definitions.ts'

export const statusForm = form({
  name: 'statuses',
  groups: [
    {
      title: 'Data',
      fields: {
        status_key: statusKey('Key'),
        name: text('Status name', { required: true }),
        color: color('Color'),
        description: text('Description', { max: 1000 }),
      },
    },
    {
      title: 'Notify when an order enters this status',
      tab: 'notifications',
      fields: {
        notify_manager: toggle(partyLabels.manager, { only: 'edit' }),
        notify_admin: toggle(partyLabels.admin, { only: 'edit' }),
        notify_dealer: toggle(partyLabels.dealer, { only: 'edit' }),
        notify_make: toggle(partyLabels.make, { only: 'edit' }),
      },
    },
    {
      title: 'Transitions',
      tab: 'transitions',
      fields: {
        transitions: repeater(
          'Transitions',
          {
            child_status_id: choice('Move to', { required: true }),
            action_name: text('Button text', { max: 60, hint: 'A verb, such as "Send for signing".' }),
            required_fields: several('Required fields', requirableFields),
            forced_fields: several('Set automatically', forcibleFields),
            ...performerFields(),
          },
          {
            only: 'edit',
            key: 'id',
            addLabel: 'Add transition',
            duplicateWarning: { part: 'child_status_id', warning: 'Another transition leads to the same status. Both will be shown.' },
          },
        ),
      },
    },
  ],
})

/** Addresses contain the key or the id of a status, so a key must not look like an id. */
function statusKey(label: string) {
  const field = text(label, { required: true, hint: 'Use letters, digits, dots, hyphens, and underscores, with at least one non-digit.' })
  const parse = (input: string) => {
    const key = field.parse(input)
    if (key && !/^(?=.*\p{L})[\p{L}\p{M}\p{N}._-]+$/u.test(key))
      throw new FieldError('Use letters, digits, dots, hyphens, and underscores, with at least one non-digit.')
    return key
  }
  return { ...field, parse }
}

function performerFields() {
  return Object.fromEntries(flags.map((flag) => [flag, toggle(performerLabels[flag])])) as Record<Flag, Field<boolean, undefined>>
}

export function statusPage({ server, language }: FastifyRequest, status?: Status): FormPage {
  if (!status) return { mode: 'create', present: {}, choices: {} }
  const targets = allStatuses(server.db)
    .filter(({ id }) => id !== status.id)
    .map((target) => ({ ...target, name: statusNameFor(language, target.name) }))
  const present = { ...status, transitions: transitionsOf(server.db, status.id) }
  return { mode: 'edit', present, choices: { 'transitions.child_status_id': targets } }
}
