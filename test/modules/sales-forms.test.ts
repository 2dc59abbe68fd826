import t from 'tap'
import { categoryCompany } from '../../src/database/schema/index.ts'
import { type Answer, startCabinet } from '../support/cabinet.ts'
import { parseHtml } from '../support/html.ts'
import { insertContractPrice, insertProduct } from '../support/products.ts'

const plain = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/** The parts of a form in their order: headings, each field as it is labelled (* is required) with its hint, and buttons. */
function formOf({ body }: Answer): string[] {
  const page = parseHtml(body)
  const form = page('form:has(fieldset.field-group)').first()
  const parts = form
    .find('legend, details.field-group > summary, input:not([type=hidden]), select, textarea, button:not(.visually-hidden)')
    .toArray()
  return parts.flatMap((element) => {
    const one = page(element)
    if (element.tagName === 'legend' || element.tagName === 'summary') return [`— ${plain(one.text())}`]
    if (element.tagName === 'button') return plain(one.text()) || one.not('[aria-label^="Choose a date"]').attr('aria-label') || []
    const { id = '', type = element.tagName, maxlength, inputmode, placeholder, required, checked } = element.attribs
    const label = one.attr('aria-label') ?? (form.find(`label.form-label[for="${id}"]`).text() || one.closest('label').text())
    const hint = plain(page(`[id="${id}-hint"]`).text())
    const options =
      type === 'select'
        ? `[${one
            .find('option')
            .toArray()
            .map((option) => plain(page(option).text()))
            .join(', ')}]`
        : ''
    return [
      plain(label),
      `(${[type, inputmode, maxlength, placeholder, required === undefined ? '' : 'required', checked === undefined ? '' : 'checked'].filter(Boolean).join(' ')})`,
      options,
      hint,
    ]
      .filter(Boolean)
      .join(' ')
  })
}

const line = '(text 255)'

const texts = (...labels: string[]) => labels.map((label) => `${label} ${line}`)

/** What holds digits alone asks for them on a phone. */
const digits = (...labels: string[]) => labels.map((label) => `${label} (text numeric 255)`)

const organization = [
  '— Company',
  'Organization * (text 255 required)',
  'Phone (tel 255 +7(999) 999 99 99)',
  'Email (text email 255)',
  ...texts('Business address'),
]

const registration = ['— Legal details', ...digits('INN'), ...texts('KPP'), ...digits('OGRN'), ...texts('Registered address')]

const codesAndBank = [
  ...digits('OKPO', 'OKATO'),
  ...texts('OKVED'),
  '— Bank',
  ...texts('Bank'),
  ...digits('BIK', 'Bank account', 'Correspondent account'),
]

const otherPrograms = ['— Other programs', `External ID ${line} What other programs know it by`]

const places = [
  'Manager (select) [Not selected, Petrova Maria Ivanovna, Plainer Peter, Sidorov Mikhail]',
  'Warehouse (select) [Not selected, North stock]',
  'Production site (select) [Not selected, First site]',
]

const ofCompany = [
  ...organization,
  ...registration,
  ...texts('Director (full name)', 'Director (short)'),
  ...codesAndBank,
  '— Contract',
  `Contract number ${line}`,
  'Contract date (date)',
  'Starting specification number (text numeric)',
  '— Terms',
  'Base discount, % (text numeric)',
  'Credit limit (text decimal) Empty: not checked. 0: orders are paid in advance.',
  'Days to pay (text numeric) From the day an order became due.',
  ...places,
  'Lines without product (checkbox) Its dealers may order what is not in the catalog. Such lines wait for their price.',
  ...otherPrograms,
  '— Category discounts',
  'Category * (select required) [Not selected, Windows]',
  'Discount, % * (text numeric required)',
  'Remove line',
  'Add discount',
  'Save',
]

const ofContractPrices = [
  '— Contract prices',
  'Product * (select required) [Not selected, A Product A]',
  'Valid from * (date required)',
  'Valid until (date)',
  'Price * (text decimal required)',
  'Remove line',
  'Add contract price',
  'Save',
]

const ofProduct = (category: string, prices: string[], ...buttons: string[]) => [
  '— Product',
  'Article * (text 60 required)',
  'Product name * (text 255 required)',
  category,
  'Unit * (select required) [Not selected, pcs, m², m, kit]',
  'For sale (checkbox checked)',
  '— Pricing',
  'Price basis * (select required) [Not selected, Per piece, Per square meter, Per running meter]',
  'Minimum charged (text decimal) m² or m for each piece',
  '— Prices',
  ...prices,
  'Add price',
  '— Description, picture, and external ID',
  'Description (textarea 4000)',
  'Picture (file) JPEG, PNG, WebP, GIF, or AVIF',
  otherPrograms[1] as string,
  '— Sizes',
  'Smallest width, mm (text numeric)',
  'Largest width, mm (text numeric)',
  'Smallest height, mm (text numeric)',
  'Largest height, mm (text numeric)',
  ...buttons,
]

t.test('the forms of companies and products name each field, say what it takes, and mark those that are required', async (t) => {
  const { db, cast, as } = await startCabinet(t)
  const { alpha } = cast.companies
  const product = insertProduct(db, { article: 'A', category_id: cast.category })
  insertContractPrice(db, alpha, product, 5)
  db.insert(categoryCompany).values({ company_id: alpha, category_id: cast.category, discount: 15 }).run()
  const price = ['Valid from * (date required)', 'Price * (text decimal required)', 'Remove line']
  const forms: Record<string, string[]> = {
    [`/company/edit/${alpha}`]: ofCompany,
    '/company/add': [
      ...organization,
      ...registration,
      ...codesAndBank,
      '— Terms',
      ...places,
      ...otherPrograms,
      'Save and add another',
      'Add',
    ],
    [`/company/edit/${alpha}?tab=prices`]: ofContractPrices,
    [`/company/edit/${alpha}?tab=files`]: ['— Files', 'Add file', 'Save'],
    [`/products/edit/${product}`]: ofProduct('Category * (select required) [Not selected, Windows]', price, 'Save'),
    '/products/add': ofProduct('Category * (select required) [Not selected, Windows]', price, 'Save and add another', 'Add'),
    [`/products/prices?id=${product}`]: [
      '— Change',
      'Change, % (text decimal) Such as 5 or -3,5',
      'Change by amount (text decimal) Such as 100 or -50',
      'Valid from * (date required)',
      'Preview',
      'Apply',
    ],
  }
  const root = await as('root')
  for (const [path, parts] of Object.entries(forms)) t.same(formOf(await root.get(path)), parts, path)
})
