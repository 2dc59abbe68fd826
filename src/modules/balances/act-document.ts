import { eachInTurn } from '../../concurrency/each-in-turn.ts'
import type { Document, Row } from '../../documents/document.ts'
import type { Context } from '../../http/request/context.ts'
import { HttpError } from '../../http/request/errors.ts'
import { logoFile } from '../../http/uploads/logo-file.ts'
import { formatCalendarDate } from '../../i18n/format.ts'
import { type Act, actEntries, actEntryIds, creditOf, debitOf } from './act.ts'

interface Side {
  org: string
  inn: string | null
  signatory: string | null
}

/** What the page of the act says beside its entries. */
interface ActSummary {
  title: string
  act: Act
  parties: Side[]
  opening: number
  closing: number
  turnover: { debit: number; credit: number }
  words?: string
  debtor: Side
  creditor: Side
}

const [entryLimit, entriesAtOnce] = [5_000, 100]

/**
 * The act of reconciliation as a document.
 * @throws HttpError 422 where it has more entries than somebody would read on paper
 */
export async function actDocument(context: Context, summary: ActSummary): Promise<Document> {
  const { server, t, language } = context
  const { act, parties, turnover, opening, closing } = summary
  const balance = (label: string, day: string, kopecks: number): Row => ({
    cells: [formatCalendarDate(day), label, '', ...amounts(context, debitOf(kopecks), creditOf(kopecks)), t.money(kopecks)],
  })
  return {
    language,
    title: summary.title,
    subject: t('Mutual settlements from {from} to {until}', { from: formatCalendarDate(act.from), until: formatCalendarDate(act.until) }),
    logo: logoFile(server),
    parties: parties.map(({ org, inn }, at) => ({
      role: at === 0 ? t('Supplier') : t('Customer company'),
      name: org,
      details: inn ? [{ label: t('INN'), value: inn }] : [],
    })),
    columns: [{ label: t('Date') }, { label: t('Document') }, { label: '№' }, ...moneyColumns(context)],
    rows: [
      balance(t('Opening balance'), act.from, opening),
      ...(await entryRows(context, act, opening)),
      { cells: ['', t('Turnover of the period'), '', t.money(turnover.debit), t.money(turnover.credit), ''] },
      balance(t('Closing balance'), act.until, closing),
    ],
    totals: [],
    words: result(context, summary),
    signatures: parties.map(({ org, signatory }) => ({ role: org || t('Supplier'), name: signatory })),
    stamp: t('Place for stamp'),
  }
}

const moneyColumns = ({ t }: Context) => ['Debit', 'Credit', 'Balance'].map((label) => ({ label: t(label), kind: 'number' as const }))

const amounts = ({ t }: Context, ...list: (number | null)[]) => list.map((kopecks) => (kopecks ? t.money(kopecks) : ''))

async function entryRows(context: Context, act: Act, opening: number): Promise<Row[]> {
  const { server, t } = context
  const ids = actEntryIds(server.db, act)
    .all()
    .map(({ id }) => id)
  if (ids.length > entryLimit)
    throw new HttpError(422, 'A PDF holds up to {limit} entries. Choose a shorter period.', { limit: entryLimit })
  const starts = Array.from({ length: Math.ceil(ids.length / entriesAtOnce) }, (_, at) => at * entriesAtOnce)
  const rows: Row[] = []
  let balance = opening
  await eachInTurn(starts, (start) => {
    for (const { date, document, number, note, amount } of actEntries(server.db, ids.slice(start, start + entriesAtOnce))) {
      balance += amount
      const what = note ? `${t(document)}\n${note}` : t(document)
      const money = [...amounts(context, debitOf(amount), creditOf(amount)), t.money(balance)]
      rows.push({ cells: [formatCalendarDate(date), what, String(number), ...money] })
    }
  })
  return rows
}

function result({ t }: Context, { act, closing, words, debtor, creditor }: ActSummary): string {
  const day = formatCalendarDate(act.until)
  if (!closing) return t('On {day} neither owes the other anything.', { day })
  const owed = t('Owed on {day}: {amount}', { day, amount: { kopecks: Math.abs(closing) } })
  return [
    words ? `${owed} (${words}).` : `${owed}.`,
    t('Debtor: {name}', { name: debtor.org || '—' }),
    t('Creditor: {name}', { name: creditor.org || '—' }),
  ].join('\n')
}
