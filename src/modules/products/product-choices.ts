import { and, asc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import { isDealer } from '../../core/access.ts'
import { unitNames } from '../../core/labels.ts'
import { pricedUnit } from '../../core/pricing.ts'
import { fold, searchWords } from '../../core/text.ts'
import { contractPrices, type Database, productPrices, products, whereIn } from '../../database/index.ts'
import { matchingIds } from '../../database/search-index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FormInput } from '../../http/request/input.ts'
import { parseId } from '../../http/request/input.ts'
import { today } from '../../i18n/format.ts'
import { type Choice, choiceLimit } from '../../records/fields/index.ts'
import { rowLimit } from '../../records/fields/kind.ts'
import { type FindChoices, whenAsked } from '../../records/form/choices.ts'
import { tooManyRows } from '../../records/form/inputs.ts'
import { inputName } from '../../records/form/sent.ts'
import { type ProductRow, withOwnPrices } from './list.ts'

const choice = { id: products.id, name: sql<string>`${products.article} || ' ' || ${products.name}` }

/** Products for sale, to dealers those with a price; those whose article begins with what was typed come first. */
export const findProductChoices: FindChoices = ({ server: { db }, actor }, by) => {
  if ('id' in by) return productChoices(db, [by.id])
  const offered = and(eq(products.active, true), isDealer(actor) ? hasPrice(actor.company_id) : undefined)
  const first = findByArticle(db, fold(by.query).trim(), offered)
  const words = searchWords(by.query)
  const others = words.length > 0 && first.length < choiceLimit ? findByWords(db, words, offered) : []
  return distinct([...first, ...others]).slice(0, choiceLimit)
}

/** Products for sale with their category and, for those who see prices, what a unit costs a company, or anybody. */
export function findPricedProducts(context: Context, by: Parameters<FindChoices>[1], companyId: number | null): Choice[] {
  const { server, t } = context
  const found = findProductChoices(context, by)
  const rows = withOwnPrices(
    server.db,
    companyId,
    t,
    found.map(({ id }) => id),
  )
  const described = new Map(rows.map((row) => [row.id, describeProduct(context, row)]))
  return found.map((one) => ({ ...one, ...described.get(one.id) }))
}

function describeProduct({ t }: Context, { category, unit, basis, own_price }: ProductRow): Pick<Choice, 'about' | 'aside'> {
  const price = own_price == null ? undefined : t.money(own_price)
  return {
    about: category ?? undefined,
    aside: price && t('{price} per {unit}', { price, unit: t(unitNames[pricedUnit(basis, unit)]) }),
  }
}

/** Whether a product has a price today, of the list or of a contract of that company. */
function hasPrice(companyId: number | null): SQL {
  const { product_id, company_id, from, until } = contractPrices
  const listed = sql`select 1 from ${productPrices} where ${productPrices.product_id} = ${products.id} and ${productPrices.from} <= ${today()}`
  const agreed = sql`select 1 from ${contractPrices} where ${product_id} = ${products.id} and ${company_id} = ${companyId}
    and ${from} <= ${today()} and (${until} is null or ${until} >= ${today()})`
  return sql`(exists (${listed}) or exists (${agreed}))`
}

function findByArticle(db: Database, start: string, offered: SQL | undefined): Choice[] {
  const { article_search } = products
  const begins = start ? and(gte(article_search, start), lt(article_search, `${start}\u{10ffff}`)) : undefined
  const found = db.select(choice).from(products)
  return found.where(and(offered, begins)).orderBy(asc(article_search), asc(products.id)).limit(choiceLimit).all()
}

function findByWords(db: Database, words: string[], offered: SQL | undefined): Choice[] {
  const found = sql`select ${products.id} from (${matchingIds('products', words)}) as near cross join ${products} on ${products.id} = near.id
    where ${offered} limit ${choiceLimit}`
  const ids = db.values<[number]>(found).map(([id]) => id)
  return db.select(choice).from(products).where(whereIn(products.id, ids)).orderBy(asc(products.article_search)).all()
}

function productChoices(db: Database, ids: number[]): Choice[] {
  return db.select(choice).from(products).where(whereIn(products.id, ids)).all()
}

/** Numbers can be guessed: what is not for sale gets no name. */
function guessedChoices(db: Database, ids: number[]): Choice[] {
  const name = sql<string>`iif(${products.active}, ${choice.name}, '—')`
  return db.select({ id: products.id, name }).from(products).where(whereIn(products.id, ids)).all()
}

function distinct(choices: Choice[]): Choice[] {
  return [...new Map(choices.map((one) => [one.id, one])).values()]
}

/** Each costs a query, and rows are many. */
const searchedRows = 10

/** Loads what the rows of a form offer: all of them the first products and those chosen, and a row what it was searched for. */
export function productChoicesOfRows(
  context: Parameters<FindChoices>[0],
  { texts }: FormInput,
  repeater: string,
  present: readonly (number | null)[],
): Record<string, () => Choice[]> {
  const { db } = context.server
  const place = new RegExp(`^${repeater}\\.(\\d{1,4})\\.product_id(_search)?$`)
  const sent = [...texts].flatMap(([name, text]) => {
    const [, index, search] = place.exec(name) ?? []
    return index ? [{ index, search: search !== undefined, text }] : []
  })
  if (new Set(sent.map(({ index }) => index)).size > rowLimit) throw tooManyRows()
  const chosen = sent.filter(({ search, text }) => !search && parseId(text))
  const searched = searchesToShow(
    sent.filter(({ search, text }) => search && text),
    chosen.map(({ index }) => index),
    ({ index }) => texts.get('_find') === inputName(`${repeater}.${index}.product_id`),
  )
  const search = (text: string) => () => findProductChoices(context, { query: text.slice(0, 200) })
  const found = whenAsked(Object.fromEntries(searched.map(({ index, text }) => [index, search(text)])))
  const offered = () => {
    const guessed = chosen.map(({ text }) => Number(text))
    const known = present.flatMap((id) => id ?? [])
    const first = findProductChoices(context, { query: '' })
    return distinct([...first, ...guessedChoices(db, guessed), ...productChoices(db, known), ...Object.values(found).flat()])
  }
  return {
    ...Object.fromEntries(searched.map(({ index }) => [`${repeater}.${index}.product_id`, () => found[index] ?? []])),
    [`${repeater}.product_id`]: offered,
  }
}

/** Of the row whose button was pressed, and of the first ones in which nothing is chosen. */
function searchesToShow<Search extends { index: string }>(
  searches: Search[],
  chosen: string[],
  isPressed: (search: Search) => boolean,
): Search[] {
  const waiting = searches.filter((search) => !isPressed(search) && !chosen.includes(search.index))
  return [...searches.filter(isPressed), ...waiting].slice(0, searchedRows)
}
