import { eq } from 'drizzle-orm'
import { unitNames } from '../../core/labels.ts'
import { ofPrices } from '../../core/prices.ts'
import { lineLimits, type PriceBasis, type Unit } from '../../core/pricing.ts'
import { fold } from '../../core/text.ts'
import { products } from '../../database/index.ts'
import {
  choice,
  date,
  decimal,
  externalId,
  money,
  number,
  option,
  paragraph,
  picture,
  repeater,
  text,
  toggle,
} from '../../records/fields/index.ts'
import { form } from '../../records/form/form.ts'

export const basisNames: Record<PriceBasis, string> = { each: 'Per piece', area: 'Per square meter', length: 'Per running meter' }

/** Millimeters: a side of a hundred meters. */
export const longestSide = 100_000

const size = { least: 1, most: longestSide }

/** What sheets call units besides. */
const otherUnits: Record<Unit, string[]> = {
  pcs: ['штука', 'штук', 'ед', 'piece', 'pc', '796'],
  m2: ['м2', 'кв.м', 'м.кв', 'квадратный метр', 'sqm', 'sq.m', '055'],
  m: ['м', 'п.м', 'пог.м', 'мп', 'м.п', 'м/п', 'погонный метр', 'метр', 'lm', '006', '018'],
  set: ['компл', 'комплект', 'к-т', 'набор', 'set', '839'],
}

/** What sheets call bases besides, some of them from older exports. */
const otherBases: Record<PriceBasis, string[]> = {
  each: ['за штуку', 'шт.'],
  area: ['за квадратный метр', 'м²', 'м2', 'кв.м'],
  length: ['за погонный метр', 'м', 'п.м', 'пог.м'],
}

export const productForm = form(
  products,
  [
    {
      title: 'Product',
      fields: {
        article: text('Article', {
          required: true,
          missing: 'Enter an article number.',
          max: 60,
          // Told apart without case and with ё as е.
          distinct: { problem: 'Another product has this article.', same: (article) => eq(products.article_search, fold(article).trim()) },
          synonyms: ['Арт.', 'Код', 'Код товара', 'Код номенклатуры', 'SKU', 'Item code', 'Code'],
        }),
        name: text('Product name', {
          required: true,
          missing: 'Enter a name.',
          size: 60,
          synonyms: [
            'Наименование',
            'Номенклатура',
            'Товар',
            'Название',
            'Наименование товара',
            'Товары (работы, услуги)',
            'Product',
            'Item',
          ],
        }),
        category_id: choice('Category', {
          required: 'create',
          missing: 'Choose a category.',
          unknown: 'There is no category “{name}”.',
          synonyms: ['Группа', 'Группа товаров', 'Вид номенклатуры', 'Раздел', 'Product group'],
        }),
        unit: option('Unit', unitNames, {
          required: true,
          others: otherUnits,
          synonyms: ['Ед. изм.', 'Ед.', 'Единица измерения', 'Единица', 'Базовая единица', 'UOM'],
        }),
        active: toggle('For sale', { staffOnly: true, synonyms: ['Активен', 'Активность', 'Продаётся', 'Active'] }),
      },
    },
    {
      title: 'Pricing',
      fields: {
        basis: option('Price basis', basisNames, {
          required: true,
          others: otherBases,
          synonyms: ['Как считать цену', 'Цена считается', 'Price per'],
        }),
        minimum: decimal('Minimum charged', {
          least: 1,
          most: 1_000_000,
          hint: 'm² or m for each piece',
          askedWith: { field: 'basis', values: ['area', 'length'] },
          synonyms: ['Оплачивается не меньше'],
        }),
      },
    },
    {
      title: 'Prices',
      fields: {
        prices: repeater(
          'Prices',
          {
            from: date('Valid from', { required: true, missing: 'Enter from when it is valid.' }),
            price: money('Price', { required: true, missing: 'Enter a price.', most: lineLimits.price }),
          },
          // Dealers see what their company pays, and nothing else of prices.
          {
            key: 'id',
            unique: 'from',
            rowLabel: 'Price',
            addLabel: 'Add price',
            pastes: true,
            staffOnly: true,
            ...ofPrices,
          },
        ),
      },
    },
    {
      title: 'Description, picture, and external ID',
      folds: true,
      fields: {
        description: paragraph('Description', { max: 4000, synonyms: ['Примечание', 'Комментарий', 'Notes'] }),
        image: picture('Picture', { hint: 'JPEG, PNG, WebP, GIF, or AVIF' }),
        external_id: { ...externalId, staffOnly: true },
      },
    },
    {
      title: 'Sizes',
      folds: true,
      fields: {
        width_min: number('Smallest width, mm', {
          ...size,
          synonyms: ['Наименьшая ширина', 'Мин. ширина', 'Ширина мин.', 'Ширина от', 'Min width'],
        }),
        width_max: number('Largest width, mm', {
          ...size,
          synonyms: ['Наибольшая ширина', 'Макс. ширина', 'Ширина макс.', 'Ширина до', 'Max width'],
        }),
        height_min: number('Smallest height, mm', {
          ...size,
          synonyms: ['Наименьшая высота', 'Мин. высота', 'Высота мин.', 'Высота от', 'Min height'],
        }),
        height_max: number('Largest height, mm', {
          ...size,
          synonyms: ['Наибольшая высота', 'Макс. высота', 'Высота макс.', 'Высота до', 'Max height'],
        }),
      },
    },
  ],
  { extras: ['prices'] },
)
