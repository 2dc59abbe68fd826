import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { allows } from '../../core/access.ts'
import { fold } from '../../core/text.ts'
import { createRecord, type Database, type stocks, updateRecord, whereIn } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { formatCount } from '../../i18n/format.ts'
import { resourceOf } from '../../records/api/resource.ts'
import { text } from '../../records/fields/index.ts'
import { form } from '../../records/form/form.ts'
import type { Card, Fact } from '../../records/kind/card.ts'
import { columnsOf } from '../../records/list/columns.ts'
import { countOf } from '../../records/list/count.ts'
import type { DeletionPart } from '../../records/list/deletion.ts'
import type { List } from '../../records/list/list.ts'
import { addRecord } from '../../records/record.ts'
import { isUnplaced, purposes, type Reference, type ReferenceRecord, references, unplaced } from './reference.ts'

export async function referenceRoutes(app: FastifyInstance): Promise<void> {
  for (const reference of references) {
    const [list, card] = [referenceList(app.db, reference), referenceCard(reference)]
    addRecord(app, {
      list,
      card,
      deletion: referenceDeletion(reference),
      imports: { keys: ['name'] },
      api: resourceOf(reference.schema, card),
      menu: { icon: reference.icon, letter: reference.letter, section: 'Catalog', says: reference.says },
    })
  }
}

function referenceList(db: Database, reference: Reference): List<ReferenceRecord> {
  const { name, table, title, addTitle, may } = reference
  const column = columnsOf(formOf(reference), table as typeof stocks)
  return {
    name,
    title,
    empty: ({ actor }) => (isUnplaced(reference, actor) ? unplaced : purposes[name]),
    add: { path: `/${name}/add`, label: addTitle },
    columns: [column('name', { kind: 'name', sort: table.search, opens: true }), ...('address' in table ? [column('address')] : [])],
    sizes: [25, 50, 'all'],
    sort: { key: 'name', dir: 'asc' },
    table,
    may,
    searchHint: 'address' in table ? 'name, address' : 'name',
    find: 'address' in table ? [table.name, table.address] : [table.name],
    rows: { load: (ids) => db.select().from(table).where(whereIn(table.id, ids)).all() },
  }
}

function referenceDeletion(reference: Reference): DeletionPart<ReferenceRecord> {
  const { question, done, dependents, recordDependentChanges } = reference
  return {
    question,
    done,
    consequences: dependents,
    before: (request, ids) => void recordDependentChanges?.(request.server.db, ids, 'go', request.author),
    restored: (request, ids) => recordDependentChanges?.(request.server.db, ids, 'are back', request.author),
  }
}

function findReferenceRecord({ table }: Reference): FindRecord<ReferenceRecord> {
  return (db, id) => db.select().from(table).where(eq(table.id, id)).get()
}

function referenceCard(reference: Reference): Card<ReferenceRecord, ReferenceForm> {
  const { name, table, newTitle, may } = reference
  return {
    list: name,
    path: `/${name}`,
    form: formOf(reference),
    may,
    find: findReferenceRecord(reference),
    titleOf: (record) => record.name,
    formState: (_, record) => ({ mode: record ? 'edit' : 'create', stored: { ...record }, choices: {} }),
    creation: {
      title: newTitle,
      done: '{name} added',
      again: () => ({}),
      create: (request, values) => createRecord(request.server.db, table, values, values.name, request.author),
    },
    save: (request, record, values) => {
      const after = { ...record, ...values }
      updateRecord(request.server.db, table, record, values, after.name, request.author)
    },
    head: { facts: (request, record) => countRelated(request, reference, record) },
    related: reference.related,
  }
}

function countRelated({ server, actor }: Context, { related }: Reference, { id }: ReferenceRecord): Fact[] {
  return Object.entries(related).flatMap(([name, filter]) => {
    const list = server.records.get(name)?.list
    if (!list || !allows(list.may.list, actor)) return []
    const query = `${filter}=${id}`
    return { label: list.title, text: formatCount(countOf(server.db, list, actor, query)), href: `/${name}?${query}` }
  })
}

type ReferenceForm = ReturnType<typeof formOf>

function formOf({ table, nameLabel }: Reference) {
  const { search } = table as typeof stocks
  // Told apart as they are found and sorted: without case, with ё as е.
  const distinct = { problem: 'Another record has this name.', same: (name: string) => eq(search, fold(name).trim()) }
  const fields = {
    name: text(nameLabel, { required: true, missing: 'Enter a name.', distinct, synonyms: ['Название', 'Наименование'] }),
    address: text('Address', { size: 60 }),
  }
  return form(table, [{ title: 'Data', fields: 'address' in table ? fields : { name: fields.name } }])
}
