/** Numbers that a purpose introduces together, as those of orders or of their specifications. */
export interface Named {
  of: 'orders' | 'specifications'
  numbers: number[]
}

const sign = String.raw`(?:№{1,2}|#|No?\.?)[ .:]{0,2}`

/** Neither a date, a part of a longer number, an amount nor a quantity. */
const number = String.raw`\d{1,9}(?!\d|[./-]\d|,\d\d(?!\d)| ?(?:%|руб|коп|шт))`

const words = {
  specifications: String.raw`(?:спецификаци[а-яё]{0,4}|спец\.|specification)`,
  orders: String.raw`(?:заказ[а-яё]{0,6}|зак\.|order|сч[её]т[а-яё]{0,4})`,
  others: String.raw`(?:договор|дог\.|контракт|contract|накладн|акт|упд|п/?п|сч[её]т[а-яё]?-фактур)[а-яё]{0,4}(?: [а-яё]{1,20})?`,
}

const introduced = new RegExp(
  String.raw`(?<!\p{L})(?:(?:(?<specifications>${words.specifications})|(?<orders>${words.orders})|(?<others>${words.others}))[ :.]{0,3}(?:${sign})?|${sign})` +
    `(?<list>${number}(?: ?(?:[,;&+]|и|and) ?(?:${sign})?${number})*)`,
  'giu',
)

const most = 10

/** What a purpose names, each number once; the numbers of contracts and other papers are none of ours. */
export function namedIn(purpose: string): Named[] {
  return [...purpose.matchAll(introduced)].flatMap(({ groups: { specifications, others, list = '' } = {} }) => {
    const numbers = [...new Set(list.match(/\d+/g)?.map(Number))].filter((id) => id > 0).slice(0, most)
    return others || numbers.length === 0 ? [] : [{ of: specifications ? 'specifications' : 'orders', numbers } as const]
  })
}

/** Whether a purpose says that money comes before what it is for. */
export const isAdvance = (purpose: string) => /(?<!\p{L})(?:аванс|предоплат|advance|prepay)/iu.test(purpose)
