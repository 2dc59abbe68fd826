import { statuses } from '../../../database/index.ts'
import { isoTime } from '../../../records/api/fields-json.ts'
import { integer, moment, orNull, string } from '../../../records/fields/json-schema.ts'
import type { Resource } from '../../../records/kind/resource.ts'
import { allStatuses, findStatus, type Status, statusAccess } from './status.ts'

function jsonOfStatus(_acting: unknown, { id, version, index, status_key, name, color, description, ...times }: Status) {
  const { created_at, updated_at } = times
  return { id, version, index, status_key, name, color, description, created_at: isoTime(created_at), updated_at: isoTime(updated_at) }
}

export const statusResource: Resource<Status, Status> = {
  name: 'statuses',
  schema: 'Status',
  table: statuses,
  find: findStatus,
  may: statusAccess,
  rows: ({ server }, ids) => allStatuses(server.db).filter(({ id }) => ids.includes(id)),
  rowJson: jsonOfStatus,
  json: jsonOfStatus,
  fields: {
    ...{ id: integer, version: integer, index: integer, status_key: string, name: string, color: orNull(string) },
    ...{ description: orNull(string), created_at: moment, updated_at: moment },
  },
}
