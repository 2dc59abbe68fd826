import type { FastifyReply, FastifyRequest } from 'fastify'
import { findLegalDetailWarnings } from '../../core/legal-details.ts'
import { ofPrices } from '../../core/prices.ts'
import { lineLimits } from '../../core/pricing.ts'
import { companies } from '../../database/index.ts'
import { queryOf } from '../../http/request/input.ts'
import { template } from '../../http/request/template.ts'
import {
  choice,
  date,
  digits,
  externalId,
  kpp,
  money,
  number,
  phone,
  repeater,
  requireAddresses,
  text,
  toggle,
  upload,
} from '../../records/fields/index.ts'
import { form, type Section } from '../../records/form/form.ts'

/** What pages show of a company beside its discounts and files. */
export const companyGroups = {
  organization: {
    title: 'Company',
    fields: {
      org: text('Organization', {
        required: true,
        missing: 'Enter a name.',
        size: 80,
        synonyms: [
          'Компания',
          'Наименование',
          'Контрагент',
          'Название',
          'Клиент',
          'Покупатель',
          'Наименование организации',
          'Company',
          'Customer',
          'Client',
        ],
      }),
      phone: phone('Phone', { synonyms: ['Тел.', 'Телефон(ы)', 'Телефоны', 'Контактный телефон', 'Tel', 'Phone number'] }),
      email: text('Email', {
        check: requireAddresses,
        synonyms: ['E-mail', 'Почта', 'Эл. почта', 'Электронная почта', 'Адрес электронной почты'],
      }),
      address: text('Business address', { size: 80, synonyms: ['Адрес', 'Факт. адрес', 'Фактический адрес', 'Почтовый адрес', 'Address'] }),
    },
  },
  legal: {
    title: 'Legal details',
    folds: 'create',
    fields: {
      inn: digits('INN', { size: 12, synonyms: ['ИНН контрагента', 'ИНН организации', 'Tax ID'] }),
      kpp: kpp('KPP', { size: 9 }),
      ogrn: digits('OGRN', { size: 15 }),
      legal_address: text('Registered address', { size: 80, synonyms: ['Юр. адрес', 'Юридический адрес', 'Legal address'] }),
      director_name_full: text('Director (full name)', {
        only: 'edit',
        size: 60,
        synonyms: ['Директор', 'Руководитель', 'Генеральный директор', 'Director'],
      }),
      director_name_short: text('Director (short)', { only: 'edit' }),
      okpo: digits('OKPO', { size: 10 }),
      okato: digits('OKATO', { size: 11 }),
      okved: text('OKVED', { size: 9 }),
    },
  },
  bank: {
    title: 'Bank',
    folds: 'create',
    fields: {
      bank: text('Bank', { size: 60, synonyms: ['Наименование банка', 'Банк контрагента'] }),
      bik: digits('BIK', { size: 9, synonyms: ['БИК банка'] }),
      rs: digits('Bank account', { size: 20, synonyms: ['Р/с', 'Расч. счёт', 'Расчётный счёт', 'Номер счёта'] }),
      cs: digits('Correspondent account', { size: 20, synonyms: ['К/с', 'Корр. счёт', 'Корсчёт', 'Корреспондентский счёт'] }),
    },
  },
  contract: {
    title: 'Contract',
    fields: {
      contract_number: text('Contract number', {
        only: 'edit',
        size: 20,
        synonyms: ['Договор №', 'Договор', '№ договора', 'Номер договора', 'Contract'],
      }),
      contract_date: date('Contract date', { only: 'edit', synonyms: ['Дата договора', 'Договор от'] }),
      specification_start_number: number('Starting specification number', { only: 'edit', least: 0, most: 1_000_000_000 }),
    },
  },
  terms: {
    title: 'Terms',
    fields: {
      discount: number('Base discount, %', {
        only: 'edit',
        synonyms: ['Скидка', 'Скидка, %', 'Процент скидки', 'Discount'],
        least: 0,
        most: 100,
        ...ofPrices,
      }),
      credit_limit: money('Credit limit', {
        only: 'edit',
        synonyms: ['Кредитный лимит', 'Лимит', 'Лимит задолженности'],
        hint: 'Empty: not checked. 0: orders are paid in advance.',
        ...ofPrices,
      }),
      payment_days: number('Days to pay', {
        only: 'edit',
        synonyms: ['Отсрочка', 'Отсрочка, дней', 'Отсрочка платежа'],
        least: 0,
        most: 1000,
        hint: 'From the day an order became due.',
        ...ofPrices,
      }),
      manager_id: choice('Manager', {
        unknown: 'There is no manager “{name}”.',
        synonyms: ['Ответственный', 'Основной менеджер', 'Ответственный менеджер'],
        source: '/company/managers',
        searchHint: 'Last name',
      }),
      stock_id: choice('Warehouse', { unknown: 'There is no warehouse “{name}”.', synonyms: ['Склад отгрузки'] }),
      manufacture_id: choice('Production site', { unknown: 'There is no production site “{name}”.' }),
      custom_lines: toggle('Lines without product', {
        only: 'edit',
        hint: 'Its dealers may order what is not in the catalog. Such lines wait for their price.',
      }),
    },
  },
} as const satisfies Record<string, Section>

const noContractPrices = {
  title: 'No contract prices yet',
  text: 'The company pays list prices less its discounts. Prices agreed for single products appear here, with the dates on which they apply.',
}

const noFiles = {
  title: 'No files yet',
  text: 'Contracts and whatever else belongs to the company are kept here. Dealers do not see them.',
}

export const companyForm = form(
  companies,
  [
    companyGroups.organization,
    companyGroups.legal,
    companyGroups.bank,
    companyGroups.contract,
    companyGroups.terms,
    { title: 'Other programs', folds: true, fields: { external_id: { ...externalId, staffOnly: true } } },
    {
      title: 'Category discounts',
      fields: {
        discounts: repeater(
          'Category discounts',
          {
            category_id: choice('Category', { required: true, missing: 'Choose a category.', unknown: 'There is no category “{name}”.' }),
            discount: number('Discount, %', { required: true, missing: 'Enter a discount.', least: 0, most: 100 }),
          },
          { only: 'edit', key: 'id', unique: 'category_id', rowLabel: 'Discount', addLabel: 'Add discount', ...ofPrices },
        ),
      },
    },
    {
      title: 'Contract prices',
      tab: 'prices',
      fields: {
        contract_prices: repeater(
          'Contract prices',
          {
            product_id: choice('Product', {
              required: true,
              missing: 'Choose a product.',
              source: '/company/products',
              searchHint: 'Article or name',
            }),
            from: date('Valid from', { required: true, missing: 'Enter from when it is valid.' }),
            until: date('Valid until'),
            price: money('Price', { required: true, missing: 'Enter a price.', most: lineLimits.price }),
          },
          {
            only: 'edit',
            key: 'id',
            rowLabel: 'Price',
            addLabel: 'Add contract price',
            pastes: true,
            empty: noContractPrices,
            ...ofPrices,
          },
        ),
      },
    },
    {
      title: 'Files',
      tab: 'files',
      fields: {
        files: repeater(
          'Files',
          { name: text('Document'), file: upload('File', { required: true }) },
          { only: 'edit', key: 'file', rowLabel: 'File', addLabel: 'Add file', empty: noFiles, staffOnly: true },
        ),
      },
    },
  ],
  {
    extras: ['discounts', 'contract_prices'],
    warnings: { address: '/company/warnings', fields: ['inn', 'ogrn', 'bik', 'rs', 'cs'], of: findLegalDetailWarnings },
  },
)

const warningsFragment = template<{ warnings: { id: string; text: string }[] }>('companies/warnings.njk')

export function warnAboutLegalDetails(request: FastifyRequest, reply: FastifyReply) {
  const typed = Object.fromEntries(queryOf(request))
  const found = findLegalDetailWarnings(typed)
  const requested = Object.keys(typed).filter((name) => companyForm.warnings?.fields.includes(name))
  return reply.page(warningsFragment, { warnings: requested.map((id) => ({ id, text: request.t(found[id] ?? '') })) })
}
