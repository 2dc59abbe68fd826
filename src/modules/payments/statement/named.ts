/** Numbers that a purpose introduces together, as those of orders, of their specifications or of their invoices. */
export interface Named {
  of: 'orders' | 'specifications' | 'invoices'
  numbers: number[]
  /** Numbers of invoices as they are written, which need not be whole numbers, and the day of the first. */
  written?: string[]
  day?: string
}

const sign = String.raw`(?:№{1,2}|#|No?\.?)[ .:]{0,2}`

/** Neither a date, a part of a longer number, an amount nor a quantity. */
const number = String.raw`\d{1,9}(?!\d|[./-]\d|,\d\d(?!\d)| ?(?:%|руб|коп|шт))`

const words = {
  specifications: String.raw`(?:спецификаци[а-яё]{0,4}|спец\.|specification)`,
  orders: String.raw`(?:заказ[а-яё]{0,6}|зак\.|order)`,
  invoices: '(?:сч[её]т[а-яё]{0,4}|invoice)(?: на [а-яё]{1,20})?',
  others: String.raw`(?:договор|дог\.|контракт|contract|накладн|акт|упд|п/?п|сч[её]т[а-яё]?-фактур)[а-яё]{0,4}(?: [а-яё]{1,20})?`,
}

const introduced = new RegExp(
  String.raw`(?<!\p{L})(?:(?:(?<specifications>${words.specifications})|(?<orders>${words.orders})|(?<invoices>${words.invoices})|(?<others>${words.others}))[ :.]{0,3}(?:${sign})?|${sign})` +
    `(?<list>${number}(?: ?(?:[,;&+]|и|and) ?(?:${sign})?${number})*)`,
  'giu',
)

/** The number of an invoice is what its pattern makes of it, such as 26-12 or А/12. */
const written = String.raw`(?=[^\s,;]{0,39}\d)[\p{L}\d](?:[\p{L}\d./_-]{0,38}[\p{L}\d])?(?![\p{L}\d]|[./_-][\p{L}\d]|,\d\d(?!\d)| ?(?:%|руб|коп|шт))`

const invoiced = new RegExp(
  String.raw`(?<!\p{L})${words.invoices}(?:[ :.]{1,3}(?:${sign})?|${sign})` +
    `(?<list>${written}(?: ?(?:[,;&+]|и|and) ?(?:${sign})?${written})*)` +
    String.raw`(?: (?:от|from|dated) (?<day>\d\d\.\d\d\.\d{4}))?`,
  'giu',
)

const most = 10

/** What a purpose names, each number once; the numbers of contracts and other papers are none of ours. */
export function namedIn(purpose: string): Named[] {
  const named = [...purpose.matchAll(introduced)].flatMap(({ groups: { specifications, invoices, others, list = '' } = {} }) => {
    const numbers = numbersIn(list.match(/\d+/g) ?? [])
    return others || invoices || numbers.length === 0 ? [] : [{ of: specifications ? 'specifications' : 'orders', numbers } as const]
  })
  return [...named, ...invoicesIn(purpose)]
}

function invoicesIn(purpose: string): Named[] {
  return [...purpose.matchAll(invoiced)].map(({ groups: { list = '', day } = {} }) => {
    const all = [...list.matchAll(oneWritten)].map(([text]) => text.replace(signed, '')).slice(0, most)
    const numbers = numbersIn(all.filter((text) => /^\d{1,9}$/.test(text)))
    return { of: 'invoices', numbers, written: all, ...(day && { day: day.split('.').reverse().join('-') }) }
  })
}

const oneWritten = new RegExp(written, 'giu')
const signed = /^No?\.?(?=\d)/i

const numbersIn = (texts: string[]): number[] => [...new Set(texts.map(Number))].filter((id) => id > 0).slice(0, most)
