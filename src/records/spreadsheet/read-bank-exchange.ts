import { isUtf8 } from 'node:buffer'
import { isForeignAccount } from '../../core/payments.ts'
import type { SheetRow } from '../../database/schema/imports.ts'
import { SheetProblem, textLimit, tooLarge } from './sheet-problem.ts'

/** How a file of the exchange between banks and accounting programs begins, in every encoding. */
const signature = '1CClientBankExchange'

const exchangeColumns = [
  ...['number', 'date', 'amount', 'purpose', 'outgoing', 'taken'],
  ...['payer', 'inn', 'payer account', 'recipient', 'recipient INN', 'recipient account'],
]

export const isBankExchange = (content: Buffer): boolean => content.subarray(0, 64).toString('latin1').includes(signature)

/** The documents of a statement in the form of a sheet, below a line of headers. */
export async function* readBankExchange(content: Buffer): AsyncGenerator<SheetRow> {
  if (content.length > textLimit) throw tooLarge()
  const accounts = new Set<string>()
  let document: Map<string, string> | undefined
  let row = 0
  let complete = false
  yield { row, cells: exchangeColumns }
  const text = decode(content)
  if (!isLegible(text))
    throw new SheetProblem('The letters of this statement cannot be read. Export it from the bank in the encoding of Windows.')
  for (const line of text.split(/\r\n|\n|\r/)) {
    const [name = '', ...rest] = line.split('=')
    const [key, value] = [name.trim(), rest.join('=').trim()]
    if (key === 'СекцияДокумент') document = new Map()
    else if (key === 'КонецДокумента' && document) {
      row += 1
      yield { row, cells: cellsOf(document, accounts) }
      document = undefined
    } else if (document) document.set(key, value)
    else if (key === 'РасчСчет' && value) accounts.add(inRubles(value))
    else if (key === 'КонецФайла') complete = true
  }
  if (!complete || document) throw new SheetProblem('This statement ends in the middle. Export it from the bank again.')
}

/** UTF-8, the code page of Windows or, if the file says so, that of DOS. */
function decode(content: Buffer): string {
  if (isUtf8(content)) return content.toString().replace(/^\ufeff/, '')
  const dos = new TextDecoder('ibm866')
  const head = dos.decode(content.subarray(0, 1000))
  return /Кодировка=\s*DOS/i.test(head) ? dos.decode(content) : new TextDecoder('windows-1251').decode(content)
}

/** Whether letters that are not Latin make words of the format: in another encoding they make others. */
function isLegible(text: string): boolean {
  return !/[^\0-\x7f]/.test(text) || /ВерсияФормата|РасчСчет|Секция|КонецФайла/.test(text)
}

function cellsOf(document: Map<string, string>, accounts: Set<string>): string[] {
  const first = (...keys: string[]) => keys.map((key) => document.get(key)).find(Boolean) ?? ''
  const parts = [1, 2, 3, 4, 5, 6].map((part) => document.get(`НазначениеПлатежа${part}`))
  const [payer, recipient] = [partyOf(document, 'Плательщик'), partyOf(document, 'Получатель')]
  return [
    first('Номер'),
    first('ДатаПоступило', 'Дата'),
    first('Сумма'),
    first('НазначениеПлатежа') || parts.filter(Boolean).join(' '),
    isOutgoing(payer, recipient, accounts),
    // Where nothing else says so: taken from an account and not given to one.
    first('ДатаСписано') && !first('ДатаПоступило') ? '1' : '',
    ...[payer.name, payer.inn, payer.account],
    ...[recipient.name, recipient.inn, recipient.account],
  ]
}

type Party = ReturnType<typeof partyOf>

/** Some banks leave the first account, or the INN, empty. */
function partyOf(document: Map<string, string>, who: string) {
  const said = (key: string) => document.get(`${who}${key}`) ?? ''
  const [, named = ''] = /^ИНН\s*(\d{10,12})\b/.exec(said('')) ?? []
  const name = (said('1') || said('')).replace(/^ИНН\s*\d*\s*/, '')
  return { name, inn: said('ИНН') || named, account: said('РасчСчет') || said('Счет') }
}

/** @throws SheetProblem */
function inRubles(account: string): string {
  if (isForeignAccount(account)) throw new SheetProblem('This is a statement of an account that is not in rubles.')
  return account
}

/** Whether it was paid from one of the accounts of the statement; empty where it names neither party. */
function isOutgoing(payer: Party, recipient: Party, accounts: Set<string>): '' | '0' | '1' {
  if (accounts.has(recipient.account)) return '0'
  return accounts.has(payer.account) ? '1' : ''
}
