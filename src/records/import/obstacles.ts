import type { FastifyRequest } from 'fastify'
import type { RowResult } from '../../database/index.ts'
import type { Translate } from '../../i18n/translate.ts'
import type { Field } from '../fields/index.ts'
import type { Import, ImportKind } from './import.ts'
import { addableList, noOption } from './named-records.ts'

/** What keeps many rows out and is mended once for all of them. */
export function obstaclesOf(request: FastifyRequest, kind: ImportKind, sheet: Import, results: RowResult[]) {
  return { lacking: findLacking(request.t, sheet, results), addable: findAddable(request, kind, results) }
}

/** The columns that new records need and the sheet lacks, and the first that could be one of them. */
function findLacking(t: Translate, { headers, fields }: Import, results: RowResult[]) {
  const lacking = results.flatMap(({ problems }) => problems.filter(({ lacksColumn }) => lacksColumn))
  const labels = [...new Set(lacking.map(({ label = '' }) => t(label)))]
  const columns = labels.map((name) => t('“{name}”', { name })).join(', ')
  const open = headers.findIndex((header, at) => header !== null && !fields[at])
  return { count: labels.length, columns, first: Math.max(open, 0) }
}

const namesShown = 5

/** Names that nobody knows, whose records whoever imports could add. */
function findAddable(request: FastifyRequest, kind: ImportKind, results: RowResult[]) {
  const lists = Object.keys(kind.adds ?? {}).filter((name) => addableList(request, kind, name))
  const fields = lists.map((name) => kind.card.form.fields[name] as Field)
  const unknown = results.flatMap(({ problems }) =>
    problems.filter((problem) => fields.some(({ label, unknown = noOption }) => problem.label === label && problem.message === unknown)),
  )
  const names = [...new Set(unknown.map(({ params }) => String(params?.name)))]
  const shown = names.slice(0, namesShown).map((name) => request.t('“{name}”', { name }))
  return { rows: unknown.length, names: shown, more: Math.max(0, names.length - namesShown) }
}
