import { and, desc, eq, lte } from 'drizzle-orm'
import { documentNumber, findPatternProblem, type NumberedKind, numberedKinds, placeholders } from '../../../core/documents.ts'
import { type Database, documentSeries } from '../../../database/index.ts'
import { ValidationFailed } from '../../../http/request/errors.ts'

/** Placeholders stand for themselves in messages. */
export const asWritten = { n: `{${placeholders[0]}}`, ...Object.fromEntries(placeholders.map((name) => [name, `{${name}}`])) }

const defaultPattern = asWritten.n

interface Series {
  kind: NumberedKind
  pattern: string
  next: number
}

/** How documents of a kind are numbered on a day: every year begins with 1 in the pattern of the one before. */
function seriesOf(db: Database, kind: NumberedKind, day: string): Series {
  const year = yearOf(day)
  const known = and(eq(documentSeries.kind, kind), lte(documentSeries.year, year))
  const latest = db.select().from(documentSeries).where(known).orderBy(desc(documentSeries.year)).limit(1).get()
  return { kind, pattern: latest?.pattern ?? defaultPattern, next: latest?.year === year ? latest.next : 1 }
}

export const yearOf = (day: string): number => Number(day.slice(0, 4))

/**
 * The number that a document gets if nobody is faster.
 * @param ahead how many are issued before it together with it
 */
export function expectedNumber(db: Database, kind: NumberedKind, about: { day: string; order: number }, ahead: number) {
  const { pattern, next } = seriesOf(db, kind, about.day)
  const serial = next + ahead
  return { serial, number: documentNumber(pattern, { n: serial, ...about }) }
}

/** Call it inside `write`, for a document that is given the number. */
export function takeNumber(db: Database, kind: NumberedKind, day: string): void {
  const series = seriesOf(db, kind, day)
  saveSeries(db, { ...series, next: series.next + 1 }, day)
}

/** The series of all kinds, as the settings show them. */
export const allSeries = (db: Database, day: string): Series[] => numberedKinds.map((kind) => seriesOf(db, kind, day))

/**
 * What the settings say of numbers. Call it inside `write`.
 * @throws ValidationFailed for a pattern that tells no documents apart, and for a number that was passed already
 */
export function changeSeries(db: Database, rows: readonly Series[], day: string): void {
  for (const [at, row] of rows.entries()) {
    const problem = findPatternProblem(row.pattern)
    if (problem) throw new ValidationFailed({ [`series.${at}.pattern`]: { message: problem, params: asWritten } })
    const { next } = seriesOf(db, row.kind, day)
    if (row.next < next)
      throw new ValidationFailed({
        [`series.${at}.next`]: { message: 'The next number is {next}: it can only be raised.', params: { next } },
      })
    saveSeries(db, row, day)
  }
}

function saveSeries(db: Database, { kind, pattern, next }: Series, day: string): void {
  const target = [documentSeries.kind, documentSeries.year]
  db.insert(documentSeries)
    .values({ kind, pattern, next, year: yearOf(day) })
    .onConflictDoUpdate({ target, set: { pattern, next } })
    .run()
}
