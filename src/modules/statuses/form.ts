import type { FastifyRequest } from 'fastify'
import { type Flag, flags, forcibleFields, requirableFields } from '../../core/transition.ts'
import { choice, color, type Field, FieldError, repeater, several, text, toggle } from '../../web/form/fields.ts'
import type { Form, FormPage } from '../../web/form/form.ts'
import { allStatuses, type Status } from './status.ts'
import { transitionsOf } from './transitions.ts'

const performerLabels: Record<Flag, string> = {
  dealer_can: 'The dealer of the order',
  manager_can: 'The manager of the company',
  production_can: 'Production of the order',
  dealers_can: 'Any dealer',
  managers_can: 'Any manager',
  productions_can: 'Any production user',
}

export const statusForm: Form = {
  name: 'statuses',
  groups: [
    {
      title: 'Data',
      fields: {
        status_key: statusKey('Key'),
        name: text('Status name', { required: true }),
        color: color('Colour'),
        description: text('Description', { max: 1000 }),
      },
    },
    {
      title: 'When an order enters this status, tell',
      tab: 'notifications',
      fields: {
        notify_manager: toggle('The manager of the company', { only: 'edit' }),
        notify_admin: toggle('Administrators', { only: 'edit' }),
        notify_dealer: toggle('The dealer of the order', { only: 'edit' }),
        notify_make: toggle('Production', { only: 'edit' }),
      },
    },
    {
      title: 'Ways from here',
      tab: 'transitions',
      fields: {
        transitions: repeater(
          'Transitions',
          {
            child_status_id: choice('To the status', { required: true }),
            required_fields: several('Required fields', requirableFields),
            forced_fields: several('Set by the system', forcibleFields),
            ...performerFields(),
          },
          {
            only: 'edit',
            key: 'id',
            duplicateWarning: { part: 'child_status_id', warning: 'Another row leads to the same status: people will be offered both.' },
          },
        ),
      },
    },
  ],
}

/** What addresses name a status by: it must not read like an id. */
function statusKey(label: string): Field {
  const field = text(label, { required: true, hint: 'Letters and digits, dots, hyphens and underscores; digits alone are not enough.' })
  const parse = (input: string) => {
    const key = field.parse(input)
    if (key !== null && !/^(?=.*\p{L})[\p{L}\p{M}\p{N}._-]+$/u.test(String(key)))
      throw new FieldError('Letters and digits, dots, hyphens and underscores; digits alone are not enough.')
    return key
  }
  return { ...field, parse }
}

function performerFields(): Record<string, Field> {
  return Object.fromEntries(flags.map((flag) => [flag, toggle(performerLabels[flag])]))
}

export function statusPage({ server }: FastifyRequest, status?: Status): FormPage {
  if (!status) return { mode: 'create', present: {}, choices: {} }
  const targets = allStatuses(server.db).filter(({ id }) => id !== status.id)
  const present = { ...status, transitions: transitionsOf(server.db, status.id) }
  return { mode: 'edit', present, choices: { 'transitions.child_status_id': targets } }
}
