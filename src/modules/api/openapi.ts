import type { FastifyReply, FastifyRequest } from 'fastify'
import { requirableFields, type Transition } from '../../core/transition-rules.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { schemaOf } from '../../records/api/field-schema.ts'
import { shownFields } from '../../records/api/fields-json.ts'
import { listOfResource } from '../../records/api/resource.ts'
import { sendJson } from '../../records/api/send-json.ts'
import { type Field, isRepeater, kindOf } from '../../records/fields/index.ts'
import {
  boundedInteger,
  file,
  integer,
  listOf,
  moment,
  objectOf,
  type Schema,
  type Schemas,
  string,
} from '../../records/fields/json-schema.ts'
import type { BaseField } from '../../records/fields/kind.ts'
import { type Form, fieldsOf, isRequired, type Mode } from '../../records/form/form.ts'
import { resourcesOf } from '../../records/kind/registry.ts'
import type { AnyResource } from '../../records/kind/resource.ts'
import type { AnyList, Filter } from '../../records/list/list.ts'
import { paymentForm } from '../ledger/payment-form.ts'
import { transitionForm } from '../orders/transitions/step-form.ts'
import { newPaymentForm, reversalForm, splitForm } from '../payments/form.ts'
import { issueForm } from './documents.ts'
import { fileParts } from './files.ts'
import { decisionForm } from './payments.ts'

/** Of the addresses; a change that breaks programs gets another. */
const apiVersion = '1'

/** The description of the API (OpenAPI 3.1), made of the forms and lists that it reads and writes. */
export function sendDescription(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const resources = resourcesOf(request.server)
  return sendJson(reply, {
    openapi: '3.1.0',
    info: { title: 'Dealer cabinet', version: apiVersion },
    servers: [{ url: url(request.server, '/api/v1') }],
    security: [{ token: [] }],
    paths: withOtherPaths(Object.assign({}, ...resources.map((resource) => describeResource(request, resource)))),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { ...Object.fromEntries(resources.flatMap(recordSchemas)), Deletion: deletionOf(resources), problem },
    },
  })
}

const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const problem = objectOf({
  ...{ type: string, title: string, status: integer, detail: string, reasons: listOf(string), request_id: string },
  errors: { type: 'object', additionalProperties: string },
  conflicts: listOf(objectOf({ field: string, yours: {}, theirs: {}, by: string })),
})

const deletionOf = (resources: AnyResource[]): Schema =>
  objectOf({ type: { ...string, enum: resources.map(({ name }) => name) }, id: integer, deleted_at: moment })

/** A record as lists have it, and by itself with what more belongs to it. */
function recordSchemas({ schema, card, fields, whole = {} }: AnyResource): [string, Schema][] {
  const shown = card ? shownFields(card.form, []) : []
  const schemasWhere = (hasRows: boolean): Schemas =>
    Object.fromEntries(shown.filter(([, field]) => isRepeater(field) === hasRows).map(([name, field]) => [name, schemaOf(field)]))
  const row = { ...schemasWhere(false), ...fields }
  return [
    [`${schema}Row`, objectOf(row)],
    [schema, objectOf({ ...row, ...schemasWhere(true), ...whole })],
  ]
}

function describeResource(context: Context, resource: AnyResource) {
  const { name, schema, card } = resource
  const create =
    card &&
    operation(`create-${name}`, { status: 201, answer: refTo(schema), parameters: [idempotencyKey], body: bodyOf(card.form, 'create') })
  const parameters = [idParameter, idempotencyKey]
  const change =
    card && operation(`change-${name}`, { answer: refTo(schema), parameters, body: bodyOf(card.form, 'edit', { version: integer }) })
  return {
    [`/${name}`]: {
      get: operation(`list-${name}`, {
        answer: pageOf(refTo(`${schema}Row`)),
        parameters: [...walkParameters, ...filtersOf(listOfResource(resource, context))],
      }),
      ...(create && { post: create }),
    },
    [`/${name}/{id}`]: {
      get: operation(`show-${name}`, { answer: refTo(schema), parameters: [idParameter] }),
      ...(change && { patch: change }),
    },
  }
}

type Paths = Record<string, object>

function withOtherPaths(paths: Paths): Paths {
  const others: Paths = otherPaths()
  const joined = Object.entries(others).map(([path, operations]) => [path, { ...paths[path], ...operations }])
  return { ...paths, ...Object.fromEntries(joined) }
}

function otherPaths() {
  const step = transitionForm({} as Transition, Object.keys(requirableFields))
  const body = bodyOf(step, 'edit', { transition_id: integer })
  const { required = [], ...decided } = bodyOf(decisionForm, 'create', { version: integer })
  const decision = { ...decided, required: [...required, 'state'] }
  const parameters = [idParameter, idempotencyKey]
  return {
    '/orders/{id}/transitions': { post: operation('move-order', { answer: refTo('Order'), parameters, body }) },
    '/orders/{id}/payments': {
      get: operation('list-payments-of-order', { answer: pageOf(refTo('Payment')), parameters: [idParameter] }),
      post: operation('enter-payment', {
        status: 201,
        answer: refTo('Payment'),
        parameters,
        body: bodyOf(paymentForm, 'create', {}, ['date']),
      }),
    },
    '/orders/{id}/documents': {
      get: operation('list-documents-of-order', { answer: pageOf(refTo('Document')), parameters: [idParameter] }),
      post: operation('issue-document', { status: 201, answer: refTo('Document'), parameters, body: bodyOf(issueForm, 'create') }),
    },
    '/payments': {
      post: operation('add-payment', {
        status: 201,
        answer: refTo('Payment'),
        parameters: [idempotencyKey],
        body: bodyOf(newPaymentForm, 'create', {}, ['date']),
      }),
    },
    '/payments/{id}/allocations': {
      post: operation('allocate-payment', { answer: refTo('Payment'), parameters, body: bodyOf(splitForm, 'create') }),
    },
    '/payments/{id}/reverse': {
      post: operation('reverse-payment', { answer: refTo('Payment'), parameters, body: bodyOf(reversalForm, 'create') }),
    },
    '/payments/{id}': {
      patch: operation('decide-payment', { answer: refTo('Payment'), parameters, body: decision }),
    },
    '/deletions': { get: operation('list-deletions', { answer: pageOf(refTo('Deletion')), parameters: walkParameters }) },
    '/files': {
      post: operation('upload-files', {
        status: 201,
        answer: objectOf({ items: listOf(objectOf(file)) }, ['items']),
        files: fileParts,
      }),
    },
    '/files/{key}': { get: { ...operation('download-file', { parameters: [keyParameter] }) } },
  }
}

interface Operation {
  status?: number
  answer?: Schema
  parameters?: object[]
  body?: Schema
  /** Names of parts, each of which may come several times. */
  files?: readonly string[]
}

function operation(operationId: string, { status = 200, answer, parameters = [], body, files }: Operation) {
  const content = (type: string, schema: Schema) => ({ content: { [type]: { schema } } })
  const success = { description: '', ...(answer && content('application/json', answer)) }
  const responses = { [status]: success, default: { description: '', ...content('application/problem+json', refTo('problem')) } }
  const sent = files ? content('multipart/form-data', filesIn(files)) : body && content('application/json', body)
  return { operationId, parameters, ...(sent && { requestBody: { required: true, ...sent } }), responses }
}

const filesIn = (parts: readonly string[]): Schema =>
  objectOf(Object.fromEntries(parts.map((part) => [part, listOf({ ...string, format: 'binary' })])))

const pageOf = (items: Schema): Schema => objectOf({ items: listOf(items), next: { type: ['string', 'null'] } }, ['items', 'next'])

/**
 * What can be sent: what the form of the page has, and nothing else.
 * @param prefilled what the page fills in where nothing is sent
 */
function bodyOf(form: Form, mode: Mode, more: Schemas = {}, prefilled: readonly string[] = []): Schema {
  const fields = [...fieldsOf(form, { mode })].filter(([, field]) => kindOf(field).json.read)
  const required =
    mode === 'create'
      ? fields
          .filter(([, field]) => isRequired(field, mode) && !kindOf(field).preselected)
          .map(([name]) => name)
          .filter((name) => !prefilled.includes(name))
      : []
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, writtenSchemaOf(field, mode)]))
  return { ...objectOf({ ...properties, ...more }, [...required, ...Object.keys(more)]), additionalProperties: false }
}

const inQuery = (name: string, schema: Schema) => ({ name, in: 'query', schema })

const walkParameters = [
  inQuery('limit', boundedInteger(1, 500)),
  inQuery('after', string),
  inQuery('updated_since', moment),
  inQuery('q', string),
]

function filtersOf({ filters = [] }: AnyList) {
  return filters.map((filter: Filter) => ({ ...inQuery(filter.name, filterSchema(filter)), description: filter.label }))
}

function filterSchema({ input, amount }: Filter): Schema {
  if (amount) return { ...integer, format: 'kopecks' }
  if (input === 'date') return { ...string, format: 'date' }
  return input === 'flag' ? { ...string, enum: ['1'] } : string
}

const idParameter = { name: 'id', in: 'path', required: true, schema: integer }
const keyParameter = { name: 'key', in: 'path', required: true, schema: string }
const idempotencyKey = { name: 'Idempotency-Key', in: 'header', schema: { ...string, maxLength: 100 } }

/** What a body may send for a field: nothing that is only read, and nothing empty where something is required. */
function writtenSchemaOf(field: Field, mode: Mode): Schema {
  const { json, hashed } = kindOf(field)
  if (!isRepeater(field)) {
    const takesNothing = !isRequired(field, mode) || (mode === 'edit' && hashed)
    return takesNothing ? schemaOf(field) : { ...json.schema(field, schemaOf as (field: BaseField) => Schema), description: field.label }
  }
  const parts = Object.entries(field.rows).filter(([, part]) => kindOf(part).json.read)
  const properties = Object.fromEntries(parts.map(([name, part]) => [name, schemaOf(part)]))
  return listOf({ ...objectOf({ ...(field.key === 'id' && { id: integer }), ...properties }), additionalProperties: false })
}
