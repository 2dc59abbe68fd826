import { inArray, isNull, notInArray, or, type SQL } from 'drizzle-orm'
import { group } from '../../core/access.ts'
import { statusesBeforeProduction } from '../../core/expected-actor.ts'
import { type Database, orders, prepareOnce } from '../../database/index.ts'
import type { Filter } from '../../records/list/list.ts'
import { loadWorkflow } from '../workflow/load.ts'
import { openStatuses } from './waiting.ts'

/** How far orders have come for production, which sees at first what has come to it and is not over. */
export function byRelease(db: Database): Filter {
  const conditions: Record<string, () => SQL | undefined> = {
    1: () => or(isNull(orders.status_id), notInArray(orders.status_id, before())),
    open: () => or(hasOrderWithoutStatus(db) ? isNull(orders.status_id) : undefined, inArray(orders.status_id, open())),
    0: () => inArray(orders.status_id, before()),
    ended: () => notInArray(orders.status_id, [...before(), ...open()]),
  }
  const before = () => statusesBeforeProduction(loadWorkflow(db))
  const open = () => openStatuses(loadWorkflow(db)).filter((id) => !before().includes(id))
  return {
    name: 'released',
    label: 'Production',
    further: true,
    options: ({ t }) => [
      { value: 'open', label: t('Current') },
      { value: '0', label: t('Not yet released') },
      { value: 'ended', label: t('Completed or canceled') },
      { value: '1', label: t('Released') },
    ],
    usual: {
      for: ({ group_id }) => (group_id === group.production ? 'open' : undefined),
      label: 'Current',
      folds: [
        { value: '0', label: 'Not yet released: {number}' },
        { value: 'ended', label: 'Completed or canceled: {number}' },
      ],
    },
    where: (value) => (Object.hasOwn(conditions, value) ? conditions[value]?.() : undefined),
  }
}

// SQLite does not read an index of company and status for the one or the other.
export const hasOrderWithoutStatus = (db: Database): boolean => orderWithoutStatus(db).get() !== undefined

const orderWithoutStatus = prepareOnce((db) => db.select({ id: orders.id }).from(orders).where(isNull(orders.status_id)).limit(1).prepare())
