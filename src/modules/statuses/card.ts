import { max } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { statusNameFor } from '../../core/default-workflow.ts'
import { type ChangedFields, createRecord, type Database, statuses, updateRecord } from '../../database/index.ts'
import type { Card } from '../../web/card/card.ts'
import { type CreateValues, type EditValues, number } from '../../web/form/form.ts'
import { ValidationFailed } from '../../web/form/submit.ts'
import { authorOf } from '../../web/http.ts'
import { transitionsPreview } from '../workflow/preview.ts'
import { statusForm, statusPage } from './form.ts'
import { policiesTab } from './policies.ts'
import { findStatus, findStatusByKey, may, type Status } from './status.ts'
import { saveTransitions } from './transition-definitions.ts'

export const statusCard: Card<Status, typeof statusForm> = {
  list: 'statuses',
  listTitle: 'Statuses',
  path: '/status',
  table: statuses,
  form: statusForm,
  may,
  find: findStatus,
  findByKey: findStatusByKey,
  newTitle: 'New status',
  titleOf: ({ name }, _, language) => statusNameFor(language, name),
  page: statusPage,
  create: createStatus,
  save,
  created: 'Status "{name}" added. Set up its transitions.',
  keyOf: (status) => status.status_key,
  extraFields: { index: number('Position in the list', { least: 0, most: 1_000_000 }) },
  preview: transitionsPreview,
  tabs: [
    { name: 'notifications', label: 'Notifications', rule: may.view },
    { name: 'transitions', label: 'Transitions', rule: may.view },
    policiesTab,
  ],
}

function createStatus(request: FastifyRequest, values: CreateValues<typeof statusForm>): number {
  const { db } = request.server
  refuseTakenKey(db, values.status_key)
  const highest = max(statuses.index)
  const last = db.select({ index: highest }).from(statuses).get()
  const row = { ...values, index: (last?.index ?? 0) + 1 }
  return createRecord(db, statuses, row, values.name, authorOf(request))
}

function save(request: FastifyRequest, status: Status, input: EditValues<typeof statusForm>): void {
  const { db } = request.server
  const { transitions, ...values } = input
  const after = { ...status, ...values }
  refuseTakenKey(db, after.status_key, status.id)
  const rows: ChangedFields = transitions ? { transitions: saveTransitions(db, status.id, transitions) } : {}
  updateRecord(db, statuses, status, values, after.name, authorOf(request), rows)
}

function refuseTakenKey(db: Database, key: string, own?: number): void {
  const other = findStatusByKey(db, key)
  if (other && other.id !== own) throw new ValidationFailed({ status_key: 'This key is already in use.' })
}
