import { sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import { findSettings } from '../../database/index.ts'
import { makePdf } from '../../documents/make-pdf.ts'
import { reauthorize } from '../../http/access/policy-hook.ts'
import { onRecord } from '../../http/access/record-routes.ts'
import { documents, twoAtATime } from '../../http/access/two-at-a-time.ts'
import { url } from '../../http/request/addresses.ts'
import type { Context } from '../../http/request/context.ts'
import { queryOf } from '../../http/request/input.ts'
import type { FindRecord } from '../../http/request/route-policy.ts'
import { template } from '../../http/request/template.ts'
import { sendPdf } from '../../http/send-pdf.ts'
import { amountInWords } from '../../i18n/amount-in-words.ts'
import { today } from '../../i18n/format.ts'
import { isDay } from '../../records/list/common-filters.ts'
import { describedSheet } from '../../records/list/export.ts'
import { sendSpreadsheet } from '../../records/spreadsheet/send-spreadsheet.ts'
import { companyAccess } from '../companies/access.ts'
import { type Company, findCompany } from '../companies/company.ts'
import { type EntryFacts, mayReadLedger } from '../ledger/access.ts'
import { type Act, actEntries, actEntryIds, actFigures, actTurnover, creditOf, debitOf } from './act.ts'
import { actDocument } from './act-document.ts'
import { closingRow, openingRow, sheet } from './reconciliation-sheet.ts'

type ReconciledCompany = Company & EntryFacts

/** As the ledger, whose entries it has. */
const findReconciledCompany: FindRecord<ReconciledCompany> = (db, id) => {
  const company = findCompany(db, id)
  return company && { ...company, company_id: id, company_manager_id: company.manager_id }
}

type View = ReturnType<typeof viewOfAct>

const page = template<View>('balances/reconciliation.njk')
const entryRows = template<Pick<View, 'entries'>>('balances/reconciliation-rows.njk')

const entriesAtOnce = 100

export function reconciliationRoutes(app: FastifyInstance): void {
  const act = { access: mayReadLedger, record: findReconciledCompany }
  app.get('/company/:id/reconciliation', onRecord(act, showReconciliation))
  app.get('/company/:id/reconciliation/export', onRecord({ ...act, answers: 'spreadsheet' }, exportReconciliation))
}

/** The act of a company and a period; a long one is sent in parts. */
async function showReconciliation(request: FastifyRequest, reply: FastifyReply, company: ReconciledCompany) {
  const { server } = request
  const query = queryOf(request)
  const act = actIn(query, company)
  if (query.get('format') === 'pdf') return sendAct(request, reply, company, act)
  if (query.has('format')) return reply.redirect(url(server, `/company/${company.id}/reconciliation/export?${query}`), 303)
  const ids = actEntryIds(server.db, act)
    .all()
    .map(({ id }) => id)
  const view = viewOfAct(request, company, act)
  const entriesFrom = (start: number, opening: number) =>
    runningEntries(actEntries(server.db, ids.slice(start, start + entriesAtOnce)), opening)
  const first = entriesFrom(0, view.opening)
  if (ids.length <= entriesAtOnce) return reply.page(page, { ...view, entries: first })
  const parts = function* () {
    let balance = first.at(-1)?.balance ?? view.opening
    for (let start = entriesAtOnce; start < ids.length; start += entriesAtOnce) {
      const entries = entriesFrom(start, balance)
      yield { entries }
      balance = entries.at(-1)?.balance ?? balance
    }
  }
  return reply.longPage(page, { ...view, entries: first }, { ...entryRows, parts: parts() })
}

async function sendAct(request: FastifyRequest, reply: FastifyReply, company: ReconciledCompany, act: Act) {
  const document = await actDocument(request, viewOfAct(request, company, act))
  const pdf = await twoAtATime(request, documents, () => makePdf([document]))
  reauthorize(request)
  return sendPdf(reply, pdf, `${document.title}, ${company.org}`)
}

/** Until today at first, from the beginning of that year. */
function actIn(query: URLSearchParams, { id }: Company): Act {
  const dayIn = (name: string) => [query.get(name) ?? ''].find(isDay)
  const until = dayIn('until') ?? today()
  const from = dayIn('from')
  return { company: id, from: from && from <= until ? from : `${until.slice(0, 4)}-01-01`, until }
}

function runningEntries(entries: ActEntry[], opening: number) {
  let balance = opening
  return entries.map((entry) => {
    balance += entry.amount
    return { ...entry, debit: debitOf(entry.amount), credit: creditOf(entry.amount), balance }
  })
}

function viewOfAct(context: Context, company: ReconciledCompany, act: Act) {
  const { server, t, language } = context
  const { opening, closing } = actFigures(server.db, act)
  const settings = findSettings(server.db)
  const own = { org: settings.legal_name ?? settings.name ?? '', inn: settings.inn, signatory: settings.signatory }
  const other = { org: company.org, inn: company.inn, signatory: company.director_name_short ?? company.director_name_full }
  const [debtor, creditor] = closing < 0 ? [other, own] : [own, other]
  return {
    title: t('Act of reconciliation'),
    back: backTo(context, company),
    act,
    export: url(server, `/company/${company.id}/reconciliation/export?from=${act.from}&until=${act.until}`),
    pdf: url(server, `/company/${company.id}/reconciliation?from=${act.from}&until=${act.until}&format=pdf`),
    parties: [own, other],
    opening,
    closing,
    turnover: actTurnover(server.db, act),
    // Their names are those of rubles.
    words: settings.currency_symbol === null ? amountInWords(closing, language) : undefined,
    debtor,
    creditor,
    entries: [] as ReturnType<typeof runningEntries>,
  }
}

function backTo({ server, actor, t }: Context, company: Company) {
  const isDealers = !allows(companyAccess.view, actor, company)
  return { href: url(server, isDealers ? '/ledger' : `/company/edit/${company.id}?tab=ledger`), label: t('Ledger') }
}

function exportReconciliation(request: FastifyRequest, reply: FastifyReply, company: ReconciledCompany) {
  const act = actIn(queryOf(request), company)
  const entries = actEntryIds(request.server.db, act)
  const ids = sql`select ${openingRow} as id union all select id from (${entries}) union all select ${closingRow}`
  return sendSpreadsheet(request, reply, 'reconciliation', {
    name: request.t('Act of reconciliation'),
    ids,
    ...describedSheet(request, sheet, act),
  })
}

type ActEntry = ReturnType<typeof actEntries>[number]
