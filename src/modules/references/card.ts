import { eq } from 'drizzle-orm'
import type { FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { searchText } from '../../core/text.ts'
import { createRecord, updateRecord } from '../../database/records.ts'
import type { Card, Fact } from '../../web/card/card.ts'
import { type CreateValues, form, text } from '../../web/form/form.ts'
import { authorOf, type FindRecord } from '../../web/http.ts'
import { countOf } from '../../web/list/rows.ts'
import { formatCount } from '../../web/view/format.ts'
import type { Reference, ReferenceRecord } from './reference.ts'

export function findReferenceRecord({ table }: Reference): FindRecord<ReferenceRecord> {
  return (db, id) => db.select().from(table).where(eq(table.id, id)).get() as ReferenceRecord | undefined
}

export function referenceCard(reference: Reference): Card<ReferenceRecord, ReferenceForm> {
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
    create: (request, values) =>
      createRecord(request.server.db, table, { ...values, search: toSearchText(values) }, values.name, authorOf(request)),
    save: (request, record, values) => {
      const after = { ...record, ...values }
      updateRecord(request.server.db, table, { ...record }, { ...values, search: toSearchText(after) }, after.name, authorOf(request))
    },
    created: '{name} added',
    keyFacts: (request, record) => countRelated(request, reference, record),
    related: reference.related,
  }
}

function countRelated({ server, actor }: FastifyRequest, { related }: Reference, { id }: ReferenceRecord): Fact[] {
  return related.flatMap(([name, filter]) => {
    const list = server.deletions.get(name)?.list
    if (!list || !allows(list.may.list, actor)) return []
    const query = `${filter}=${id}`
    return { label: list.title, text: formatCount(countOf(server.db, list, actor, query)), href: `/${name}?${query}` }
  })
}

type ReferenceForm = ReturnType<typeof formOf>

function formOf({ name, nameLabel, hasAddress }: Reference) {
  const fields = { name: text(nameLabel, { required: true }), address: text('Address') }
  return form({ name, groups: [{ title: 'Data', fields: hasAddress ? fields : { name: fields.name } }] })
}

function toSearchText({ name, address }: CreateValues<ReferenceForm>): string {
  return searchText(name, address)
}
