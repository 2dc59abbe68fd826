import { setImmediate } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { write } from '../../database/open.ts'
import type { RowResult, SheetRow } from '../../database/schema/index.ts'
import { type Import, importRow, prepareRun } from './import-row.ts'
import type { Target } from './target.ts'

const slice = 25

class DryRunRollback extends Error {}

/** Imports every row for real, in transactions that are rolled back, a few at a time, so that others are served in between. */
export async function dryRun(request: FastifyRequest, target: Target, sheet: Import): Promise<RowResult[]> {
  const run = prepareRun(request, target, sheet)
  const results: RowResult[] = []
  for (let start = 0; start < sheet.rows.length; start += slice) {
    for (const row of sheet.rows.slice(start, start + slice)) results.push(tryRow(run, row))
    await setImmediate()
  }
  return results
}

function tryRow(run: ReturnType<typeof prepareRun>, row: SheetRow): RowResult {
  let result: RowResult | undefined
  try {
    write(run.request.server.db, () => {
      result = importRow(run, row)
      throw new DryRunRollback()
    })
  } catch (error) {
    if (!(error instanceof DryRunRollback)) throw error
  }
  return result as RowResult
}

export function importRows(request: FastifyRequest, target: Target, sheet: Import): RowResult[] {
  const run = prepareRun(request, target, sheet)
  return sheet.rows.map((row) => importRow(run, row))
}
