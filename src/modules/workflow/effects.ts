import { group } from '../../core/access.ts'
import { groupNames } from '../../core/labels.ts'
import { forcibleFields, requirableFields, type Workflow } from '../../core/transition-rules.ts'
import type { Change, Effects } from '../../core/workflow-effects.ts'
import { roleNames, roles } from '../../core/workflow-roles.ts'
import type { Translate } from '../../i18n/translate.ts'
import { formatFieldNames } from './format.ts'
import labels from './labels.json' with { type: 'json' }

const rightNames: Record<string, string> = { ...forcibleFields, ...requirableFields, ...labels.otherRights }

const editingGroups = [group.dealer, group.manager, group.production] as const

export function presentEffects(effects: Effects, { statuses }: Workflow, t: Translate) {
  const name = (id: number) => statuses.find((status) => status.id === id)?.name
  const label = ({ from, to }: { from: number; to: number }) => `${name(from)} → ${name(to)}`
  const transitions = roleNames.map((role) => {
    const changed = effects.transitions.filter((one) => one.role === role)
    return { who: t(roles[role].label), ...groupByChange(changed, label) }
  })
  const rights = statuses.flatMap(({ id, name }) =>
    editingGroups.map((one) => ({
      who: t('{group} in {status}', { group: t(groupNames[one]), status: name }),
      ...groupByChange(
        effects.rights.filter((right) => right.group === one && right.status_id === id),
        (right) => formatFieldNames(right.rights, rightNames, t),
      ),
    })),
  )
  return {
    changes: [...transitions, ...rights].filter(({ gains, loses }) => gains.length + loses.length > 0),
    requirements: effects.requirements.map((one) =>
      t(labels.requirementChanges[one.change], { transition: label(one), fields: formatFieldNames(one.fields, requirableFields, t) }),
    ),
    stuck: effects.stuck.map(({ status_id, orders, left }) => t(labels.stuckOrders[left], { status: name(status_id), count: orders })),
  }
}

function groupByChange<T extends { change: Change }>(all: readonly T[], words: (one: T) => string | undefined) {
  const of = (change: Change) => all.filter((one) => one.change === change).map(words)
  return { gains: of('gains'), loses: of('loses') }
}
