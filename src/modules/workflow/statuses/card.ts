import { max } from 'drizzle-orm'
import { actionNameFor, statusNameFor } from '../../../core/default-workflow.ts'
import { documentKindLabels, dueLabels, expectationLabels, partyLabels, performerLabels } from '../../../core/labels.ts'
import { ofPrices } from '../../../core/prices.ts'
import { type Flag, flags, forcibleFields, requirableFields } from '../../../core/transition-rules.ts'
import { type ChangedFields, createRecord, statuses, updateRecord } from '../../../database/index.ts'
import type { Context } from '../../../http/request/context.ts'
import { template } from '../../../http/request/template.ts'
import { choice, color, FieldError, number, option, repeater, several, text, toggle } from '../../../records/fields/index.ts'
import { type CreateValues, type EditValues, type Entry, type FormState, form } from '../../../records/form/form.ts'
import type { InputView } from '../../../records/form/input-view.ts'
import { type Card, type CardFrame, cardPart, type FormTab, tabQuery } from '../../../records/kind/card.ts'
import { recordPath } from '../../../records/list/record-paths.ts'
import { loadWorkflow } from '../load.ts'
import { previewStatus, type WorkflowEffects } from '../preview.ts'
import { inheritPolicies, policiesTab } from './policies.ts'
import { allStatuses, findStatus, hasKey, refuseMarks, type Status, saveTransitions, statusAccess, transitionsOf } from './status.ts'

interface TransitionInputs extends Record<Flag, InputView> {
  child_status_id: InputView
  action_name: InputView
  required_fields: InputView
  forced_fields: InputView
  issues: InputView
  min_paid: InputView
  within_limit: InputView
  when_paid: InputView
}

const transitionRow = template<TransitionInputs>('statuses/transition.njk')

const statusForm = form(
  statuses,
  [
    {
      title: 'Data',
      fields: {
        name: text('Status name', { required: true, missing: 'Enter a name.' }),
        status_key: statusKey('Key'),
        color: color('Color'),
        description: text('Description', { max: 1000, size: 80 }),
        policies_from: choice('Policies as in', { only: 'create', hint: 'What people can do with its orders; without a choice nothing.' }),
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
      title: 'Expected to act',
      tab: 'transitions',
      fields: {
        expected: option('Expected to act', expectationLabels, {
          required: true,
          only: 'edit',
          hint: 'Their orders in this status are in "Waiting for you". By default the first of dealer, manager, and production with a transition onward. Administrators, where a company has no manager.',
        }),
      },
    },
    {
      title: 'Payment of its orders',
      fields: {
        due: option('Payment of its orders', dueLabels, {
          only: 'edit',
          hint: 'From the status that starts it on, the company owes what the order costs, until a status that ends it.',
          ...ofPrices,
        }),
      },
    },
    {
      title: 'Transitions',
      tab: 'transitions',
      fields: {
        transitions: repeater(
          'Transitions',
          {
            child_status_id: choice('Move to', { required: true, missing: 'Choose a status.' }),
            action_name: text('Button text', { max: 60, hint: 'A verb, such as "Send for signing".' }),
            required_fields: several('Required fields', requirableFields),
            forced_fields: several('Set automatically', forcibleFields),
            issues: several('Issues', documentKindLabels, {
              hint: 'A required file that is issued need not be uploaded; one that is uploaded is not issued.',
            }),
            min_paid: number('Least paid, %', { least: 1, most: 100, hint: 'Of the cost of the order.' }),
            within_limit: toggle('Only within the credit limit'),
            when_paid: toggle('Made by itself once paid', {
              hint: 'As soon as so much of an order is paid, without a percentage all of it. What hinders it is told to the manager.',
            }),
            ...performerFields(),
          },
          {
            only: 'edit',
            key: 'id',
            rowLabel: 'Transition',
            addLabel: 'Add transition',
            rowTemplate: transitionRow.template,
            duplicateWarning: { part: 'child_status_id', warning: 'Another transition leads to the same status. Both will be shown.' },
          },
        ),
      },
    },
  ],
  { extras: ['transitions', 'policies_from'] },
)

type StatusInput = EditValues<typeof statusForm>

const statusPanel = template<CardFrame & FormTab & { previews: boolean; preview?: WorkflowEffects }>('statuses/card.njk')

export const statusCard: Card<Status, typeof statusForm> = {
  list: 'statuses',
  path: '/status',
  form: statusForm,
  may: statusAccess,
  find: findStatus,
  titleOf: (status, _, language) => statusNameFor(language, status),
  formState: statusFormState,
  creation: { title: 'New status', done: 'Status "{name}" added. Set up its transitions.', create: createStatus },
  save,
  next: (request, status, before) => (before ? undefined : recordPath(statusCard, status.status_key) + tabQuery(request, null)),
  extraFields: { index: number('Position in the list', { least: 0, most: 1_000_000 }) },
  panel: cardPart(statusPanel, loadPanel),
  tabs: [
    { name: 'notifications', label: 'Notifications', rule: statusAccess.view },
    { name: 'transitions', label: 'Transitions', rule: statusAccess.view },
    policiesTab,
  ],
}

/** What changed transitions would mean can be seen before they are saved. */
function loadPanel(context: Context, status: Status | undefined, { tab }: FormState, entry?: Entry) {
  const previews = tab === 'transitions'
  const requested = previews ? entry?.preview : undefined
  return { previews, preview: status && requested && previewStatus(context, status.id, requested) }
}

function createStatus(context: Context, values: CreateValues<typeof statusForm>): number {
  const { db } = context.server
  const highest = max(statuses.index)
  const last = db.select({ index: highest }).from(statuses).get()
  const { policies_from: from, ...own } = values
  const row = { ...own, index: (last?.index ?? 0) + 1 }
  return createRecord(db, statuses, row, values.name, context.author, (id) => (from ? inheritPolicies(db, id, from) : {}))
}

function save(context: Context, status: Status, input: StatusInput): void {
  const { db } = context.server
  const { transitions, ...values } = input
  const after = { ...status, ...values }
  refuseMarks(db, after, transitions ?? [])
  const rows: ChangedFields = transitions ? { transitions: saveTransitions(db, status.id, keepActions(context, transitions)) } : {}
  updateRecord(db, statuses, status, values, after.name, context.author, rows)
}

type TransitionRows = NonNullable<StatusInput['transitions']>

/** A text that was shown in the reader's language and left so stays as it is stored. */
function keepActions(context: Context, rows: TransitionRows): TransitionRows {
  const actionOf = actionReader(context)
  return rows.map((row) => {
    const { stored, shown } = actionOf(row)
    return row.action_name === shown ? { ...row, action_name: stored } : row
  })
}

function actionReader({ server, language }: Context) {
  const { transitions } = loadWorkflow(server.db)
  return ({ id }: { id?: number }) => {
    const transition = transitions.find((one) => one.id === id)
    return { stored: transition?.action_name ?? null, shown: transition ? actionNameFor(language, transition) : undefined }
  }
}

/** Addresses contain the key or the id of a status, so a key must not look like an id. */
function statusKey(label: string) {
  const rule = 'Use letters, digits, dots, hyphens, and underscores, with at least one non-digit.'
  const check = (key: string) => {
    if (!/^(?=.*\p{L})[\p{L}\p{M}\p{N}._-]+$/u.test(key)) throw new FieldError(rule)
  }
  return text(label, {
    required: true,
    missing: 'Enter a key.',
    hint: rule,
    check,
    distinct: { problem: 'This key is already in use.', same: hasKey },
  })
}

function performerFields() {
  return Object.fromEntries(flags.map((flag) => [flag, toggle(performerLabels[flag])])) as Record<Flag, ReturnType<typeof toggle<object>>>
}

function statusFormState(context: Context, status?: Status): FormState {
  const { server, language } = context
  const named = allStatuses(server.db).map((one) => ({ ...one, name: statusNameFor(language, one) }))
  if (!status) return { mode: 'create', stored: {}, choices: { policies_from: named } }
  const targets = named.filter(({ id }) => id !== status.id)
  const actionOf = actionReader(context)
  const transitions = transitionsOf(server.db, status.id).map((row) => ({ ...row, action_name: actionOf(row).shown }))
  const stored = { ...status, name: statusNameFor(language, status), transitions }
  return { mode: 'edit', stored, choices: { 'transitions.child_status_id': targets } }
}
