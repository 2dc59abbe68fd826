import { isNotNull } from 'drizzle-orm'
import { pastStatusNamesFor, statusNameFor } from '../../core/default-workflow.ts'
import { findSettings, statuses } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import { moneyNumberFormat } from '../../i18n/format.ts'
import type { ColumnKind } from '../../view/column-kinds.ts'
import type { SheetColumn } from '../spreadsheet/write.ts'
import type { ExportColumn } from './list.ts'

type Texts = [key: string, text: string][]
type Format = (context: Context, texts?: Texts) => Partial<SheetColumn>

const moment: Format = () => ({ kind: 'moment', width: 18 })

/** What columns are in a spreadsheet, where their cells are no texts or plain numbers. */
const formats: Partial<Record<ColumnKind, Format>> = {
  moment,
  recent: moment,
  date: () => ({ kind: 'date', width: 12 }),
  money: ({ server }) => ({ kind: 'money', numFmt: moneyNumberFormat(findSettings(server.db)) }),
  switch: ({ t }) => ({ words: new Map(Object.entries({ 1: t('Yes'), 0: t('No') })) }),
  // Among events are the names of statuses that orders got.
  status: (context, texts) => ({
    words: new Map(texts ? [...texts, ...pastStatusNamesFor(context.language)] : defaultStatusNames(context)),
  }),
}

export function sheetColumn(context: Context, { label, kind, words, width = 24 }: Omit<ExportColumn, 'value'>): SheetColumn {
  const { t } = context
  const texts = words && Object.entries(words).map(([key, text]): Texts[number] => [key, t(text)])
  return { header: t(label), width, ...(texts && { words: new Map(texts) }), ...(kind && formats[kind]?.(context, texts)) }
}

/** Cells hold names as they are stored. */
function defaultStatusNames({ server, language }: Context): Texts {
  const { name, seed_key } = statuses
  const rows = server.db.select({ name, seed_key }).from(statuses).where(isNotNull(seed_key)).all()
  return rows.map((status) => [status.name, statusNameFor(language, status)])
}
