/** A payment as a bank tells of it. */
export interface Paid {
  number?: string
  date?: string
  amount?: string
  /** Of an outgoing one the recipient, whose are INN and account, too. */
  payer?: string
  inn?: string
  purpose: string
  outgoing?: boolean
  account?: string
}

const ownAccount = '40702810900000000001'
const otherAccount = '40702810100000000009'

/** A statement as accounting programs exchange it, in the code page of Windows. */
export function exchange(documents: Paid[], end = 'КонецФайла'): Buffer<ArrayBuffer> {
  const sections = documents.flatMap(
    ({
      number = '17',
      date = '02.02.2026',
      amount = '400.50',
      payer = 'ООО «Альфа»',
      inn = '',
      purpose,
      outgoing,
      account = otherAccount,
    }) => [
      'СекцияДокумент=Платежное поручение',
      `Номер=${number}`,
      `Дата=${date}`,
      `Сумма=${amount}`,
      `ПлательщикСчет=${outgoing ? ownAccount : account}`,
      `Плательщик=${inn && `ИНН ${inn} `}${payer}`,
      `ПлательщикИНН=${outgoing ? '' : inn}`,
      `ПолучательСчет=${outgoing ? account : ownAccount}`,
      `Получатель=${outgoing ? payer : 'Мы'}`,
      `ПолучательИНН=${outgoing ? inn : ''}`,
      `НазначениеПлатежа=${purpose}`,
      'КонецДокумента',
    ],
  )
  const head = ['1CClientBankExchange', 'ВерсияФормата=1.03', 'Кодировка=Windows', `РасчСчет=${ownAccount}`]
  return inEncoding('windows-1251', [...head, ...sections, end].join('\r\n'))
}

/** In a code page of one byte a character. */
export function inEncoding(encoding: 'windows-1251' | 'ibm866' | 'koi8-r', text: string): Buffer<ArrayBuffer> {
  const decoder = new TextDecoder(encoding)
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Buffer.from([code])), code]))
  return Buffer.from([...text].map((character) => codes.get(character) ?? 63))
}
