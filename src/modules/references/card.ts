import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { searchText } from '../../core/text.ts'
import { createRecord, updateRecord } from '../../database/records.ts'
import type { Card } from '../../web/card/card.ts'
import { text } from '../../web/form/fields.ts'
import type { Form, Values } from '../../web/form/form.ts'
import { authorOf, type FindRecord } from '../../web/http.ts'
import type { Reference, ReferenceRecord } from './reference.ts'

export function findReferenceRecord({ table }: Reference): FindRecord<ReferenceRecord> {
  return (db, id) => db.select().from(table).where(eq(table.id, id)).get() as ReferenceRecord | undefined
}

export function referenceCard(reference: Reference): Card<ReferenceRecord> {
  const { name, table, title, newTitle, may } = reference
  return {
    list: name,
    listTitle: title,
    path: `/${name}`,
    table,
    form: formOf(reference),
    may,
    find: findReferenceRecord(reference),
    newTitle,
    titleOf: (record) => record.name,
    page: (_, record) => ({ mode: record ? 'edit' : 'create', present: { ...record }, choices: {} }),
    create: (request, values) => createRecord(request.server.db, table, withSearch(values), String(values.name), authorOf(request)),
    save,
    created: 'Added',
  }

  function save(request: FastifyRequest, record: ReferenceRecord, values: Values): void {
    const after = { ...record, ...values }
    updateRecord(request.server.db, table, { ...record }, { ...values, search: withSearch(after).search }, after.name, authorOf(request))
  }
}

function formOf({ name, nameLabel, hasAddress }: Reference): Form {
  const fields = { name: text(nameLabel, { required: true }), ...(hasAddress && { address: text('Address') }) }
  return { name, groups: [{ title: 'Data', fields }] }
}

function withSearch(values: Values): Values {
  return { ...values, search: searchText(values.name as string, values.address as string | null) }
}
