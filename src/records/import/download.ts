import { sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { RowResult } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { noInput } from '../../http/request/input.ts'
import { describeValue } from '../form/describe-value.ts'
import { unseenFields } from '../form/form.ts'
import { sheetFormat } from '../list/export.ts'
import { idsQuery } from '../list/rows.ts'
import { readState } from '../list/state.ts'
import { sendSpreadsheet } from '../spreadsheet/send-spreadsheet.ts'
import { type Import, type ImportKind, importedFields, readResults } from './import.ts'
import { dryRun } from './import-sheet.ts'

/** The list with every field that can be imported. */
export function sendTemplate({ card, deletion: { list } }: ImportKind) {
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { server, actor, t } = request
    const hidden = unseenFields(importedFields(card.form), actor)
    const fields = importedFields(card.form).filter(([name]) => !hidden.includes(name))
    const cells = (id: number) => {
      const record = card.find(server.db, id)
      if (!record || !allows(card.may.view, actor, record)) return []
      const { stored, choices } = card.formState(request, record, noInput)
      return [[id, ...fields.map(([name, field]) => cell(describeValue(name, field, stored[name], choices, t)))]]
    }
    return sendSpreadsheet(request, reply, card.list, {
      name: t(list.title),
      format: sheetFormat(request),
      columns: [{ header: 'ID', width: 10 }, ...fields.map(([, { label }]) => ({ header: t(label), width: 24 }))],
      ids: idsQuery({ db: server.db, list, actor, state: readState(list, new URLSearchParams(), actor) }),
      load: (ids) => ids.flatMap(cells),
    })
  }
}

const cell = (text: string) => (text === '—' ? null : text)

/** What was done with each row or, before the import is saved, what would be. */
export async function findResults(context: Context, sheet: Import): Promise<RowResult[]> {
  return sheet.saved_at ? readResults(context.server.db, sheet.id) : dryRun(context, sheet)
}

export const outcomeLabels = { new: 'New record', changed: 'Changed', unchanged: 'Unchanged', refused: 'Rejected' }

export async function sendReport(request: FastifyRequest, reply: FastifyReply, sheet: Import) {
  const { t } = request
  const results = await findResults(request, sheet)
  const headers = ['Row', 'Result', 'Record', 'Details']
  return sendSpreadsheet(request, reply, `${sheet.list}_import`, {
    name: t('Import'),
    format: sheetFormat(request),
    columns: headers.map((header) => ({ header: t(header), width: 24 })),
    ids: sql`select value from json_each(${JSON.stringify([...results.keys()])})`,
    load: (places) =>
      results.slice(places[0], (places.at(-1) ?? -1) + 1).map(({ row, outcome, label, changes, problems }) => {
        const texts = [
          ...changes.map((change) => `${t(change.label)}: ${change.from} → ${change.to}`),
          ...problems.map(({ column, label = '', message, params }) =>
            `${column ? column + row : ''} ${t(label)}: ${t(message, params)}`.trim(),
          ),
        ]
        return [row, t(outcomeLabels[outcome]), label, texts.join('; ')]
      }),
  })
}
