import { group } from '../../core/access.ts'
import { forcibleFields, requirableFields, type Workflow } from '../../core/transition.ts'
import type { Change, Effects } from '../../core/workflow-effects.ts'
import { roleNames, roles } from '../../core/workflow-roles.ts'
import type { Translate } from '../../web/i18n/translate.ts'
import { fieldsInWords } from './words.ts'

const rightNames: Record<string, string> = {
  ...forcibleFields,
  ...requirableFields,
  comment: 'Comment',
  items: 'Order lines',
  delete: 'Deleting the order',
}

const editing = [group.dealer, group.manager, group.production] as const

const groupLabels: Record<(typeof editing)[number], string> = {
  [group.dealer]: 'Dealers',
  [group.manager]: 'Managers',
  [group.production]: 'Production',
}

/** Effects in words: for whom, what they would gain and lose, and the orders that would be stuck. */
export function tellEffects(effects: Effects, { statuses }: Workflow, t: Translate) {
  const name = (id: number) => statuses.find((status) => status.id === id)?.name
  const way = ({ from, to }: { from: number; to: number }) => `${name(from)} → ${name(to)}`
  const ways = roleNames.map((role) => ({
    who: t(roles[role].label),
    ...byChange(
      effects.ways.filter((one) => one.role === role),
      way,
    ),
  }))
  const rights = statuses.flatMap(({ id, name }) =>
    editing.map((one) => ({
      who: t('{group}, in the status {status}', { group: t(groupLabels[one]), status: name }),
      ...byChange(
        effects.rights.filter((right) => right.group === one && right.status_id === id),
        (right) => fieldsInWords(right.rights, rightNames, t),
      ),
    })),
  )
  return {
    changes: [...ways, ...rights].filter(({ gains, loses }) => gains.length + loses.length > 0),
    demands: effects.demands.map((one) =>
      t(demandWords[one.change], { way: way(one), fields: fieldsInWords(one.fields, requirableFields, t) }),
    ),
    stuck: effects.stuck.map(({ status_id, orders, left }) => t(stuckWords[left], { status: name(status_id), count: orders })),
  }
}

const demandWords: Record<Change, string> = {
  gains: '{way} would also ask for: {fields}.',
  loses: '{way} would no longer ask for: {fields}.',
}

const stuckWords: Record<Effects['stuck'][number]['left'], string> = {
  nobody: '{count} orders in {status} would have no way left.',
  administrators: '{count} orders in {status} could be moved on by administrators only.',
}

function byChange<T extends { change: Change }>(all: readonly T[], words: (one: T) => string | undefined) {
  const of = (change: Change) => all.filter((one) => one.change === change).map(words)
  return { gains: of('gains'), loses: of('loses') }
}
