import type { CheerioAPI } from 'cheerio'
import type { Element } from 'domhandler'
import { formatDate, formatDateTime } from '../../src/i18n/format.ts'
import { formatMoney } from '../../src/i18n/money.ts'
import { isDocument, parseHtml } from './html.ts'

type Find = (selector: string) => Element[]

/** What a rule finds wrong, each as a line that names the element. */
type Rule = (find: Find, $: CheerioAPI) => string[]

const named = ({ name, attribs }: Element) =>
  `<${name} ${['id', 'name', 'href', 'action', 'class'].flatMap((key) => (attribs[key] ? [`${key}="${attribs[key]}"`] : [])).join(' ')}>`

/** Attributes that name other elements of the page by their ids. */
const references = ['for', 'form', 'list', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'popovertarget']

/** What takes any text: numbers and amounts are checked by their kind, passwords and articles by their own limits. */
const typed = ['input:not([type])', 'input[type=text]', 'input[type=search]', 'input[type=url]', 'textarea']
  .map((one) => `${one}:not([inputmode], [readonly], [data-rich-text], [autocomplete=one-time-code])`)
  .join()

const ofDocuments: Rule[] = [
  function ids(find) {
    const ids = find('[id]').map(({ attribs }) => attribs.id)
    return ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `two elements have the id ${id}`)
  },
  function targets(find, $) {
    const has = (id: string) => $(`[id="${id}"]`).length > 0
    const missing = references.flatMap((attribute) =>
      find(`[${attribute}]`).flatMap((element) =>
        (element.attribs[attribute] ?? '')
          .split(' ')
          .flatMap((id) => (!id || id === 'dialog-title' || has(id) ? [] : [`${attribute} of ${named(element)}: no #${id}`])),
      ),
    )
    const jumps = find('a[href^="#"]').filter(({ attribs }) => !has((attribs.href as string).slice(1)))
    const swapped = find('[hx-target^="#"], [hx-target\\:inherited^="#"]').filter(
      ({ attribs }) => !has((attribs['hx-target'] ?? attribs['hx-target:inherited'] ?? '').slice(1)),
    )
    return [...missing, ...[...jumps, ...swapped].map((element) => `${named(element)} leads to nothing`)]
  },
  function hints(find, $) {
    const described = new Set(find('[aria-describedby]').flatMap(({ attribs }) => (attribs['aria-describedby'] ?? '').split(' ')))
    return find('[id$="-hint"], p[id$="-error"]')
      .filter(
        ({ attribs }) =>
          !described.has(attribs.id as string) && $(`[id="${attribs.id?.replace(/-(hint|error)$/, '')}"]`).is('input, select, textarea'),
      )
      .map((element) => `${named(element)} describes nothing`)
  },
]

const ofAll: Rule[] = [
  function lengths(find) {
    return find(typed)
      .filter(({ attribs }) => !attribs.maxlength)
      .map((element) => `no maxlength: ${named(element)}`)
  },
  function completion(find) {
    return find('input[type=text], input[type=search], input[type=email], input[type=password]')
      .filter(({ attribs }) => !attribs.autocomplete && !('readonly' in attribs))
      .map((element) => `no autocomplete: ${named(element)}`)
  },
  function heads(find, $) {
    return find('th')
      .filter((head) => !head.attribs.scope && !$(head).closest('.news-text').length)
      .map((element) => `no scope: ${named(element)}`)
  },
  function labels(find, $) {
    return find('table').flatMap((table) => {
      const heads = $(table).find('thead tr').last().children().toArray() as Element[]
      const names = heads.map((head) => head.attribs.title ?? $(head).text().trim())
      const rows = $(table).find('> tbody > tr').toArray() as Element[]
      return rows.flatMap((row) => {
        const cells = $(row).children().toArray() as Element[]
        if (cells.length !== heads.length) return []
        return cells.flatMap((cell, at) => {
          const head = names[at]
          const label = cell.attribs['data-label']
          // A phone may say it in a shorter word, but not in that of another column.
          return label && head && label !== head && names.includes(label) ? [`a cell of ${head} is labelled ${label}`] : []
        })
      })
    })
  },
  function forms(find, $) {
    return find('form').flatMap((form) => {
      const { method, enctype, action } = form.attribs
      const files = $(form).find('input[type=file]').length > 0
      return [
        ...(files && enctype !== 'multipart/form-data' ? [`files without an encoding: ${named(form)}`] : []),
        ...(files && form.attribs['hx-post'] && form.attribs['hx-encoding'] !== 'multipart/form-data'
          ? [`files without hx-encoding: ${named(form)}`]
          : []),
        ...(form.attribs['hx-post'] && (method !== 'post' || action !== form.attribs['hx-post'])
          ? [`posted elsewhere without scripts: ${named(form)}`]
          : []),
        ...(form.attribs['hx-get'] && (method === 'post' || action?.split('#')[0] !== form.attribs['hx-get'])
          ? [`asked elsewhere without scripts: ${named(form)}`]
          : []),
      ]
    })
  },
  function required(find, $) {
    return find('label[for]').flatMap((label) => {
      const control = $(`[id="${label.attribs.for}"]`)
      if (!control.is('input, select, textarea') || control.is('[type=file]')) return []
      const marked = $(label).find('.required-mark').length > 0
      return marked && control.attr('required') === undefined ? [`marked, but not required: ${named(label)} ${label.attribs.for}`] : []
    })
  },
  function invalid(find, $) {
    return find('[aria-invalid=true]')
      .filter((element) => {
        const described =
          element.attribs['aria-describedby'] ?? $(element).closest('fieldset[aria-describedby]').attr('aria-describedby') ?? ''
        return !described.split(' ').some((id) => id.endsWith('error') && $(`[id="${id}"]`).text().trim())
      })
      .map((element) => `no reason: ${named(element)}`)
  },
  function summaries(find, $) {
    return find('.error-summary').flatMap((summary) => {
      const links = $(summary).find('a').length
      const reasons = find('.field-error[id]').length
      return [
        ...(find('[autofocus]').every((element) => element === summary || $(element).closest('dialog').length > 0)
          ? []
          : ['something else than the summary has the focus']),
        ...(links > 1 ? [] : ['one mistake is named twice']),
        ...(links === reasons ? [] : [`${links} mistakes in the summary, ${reasons} at the fields`]),
      ]
    })
  },
  function switches(find, $) {
    return find('[role=switch]')
      .filter(
        (element) =>
          ($(element).closest('form').find('[name=value]').attr('value') === '1') === (element.attribs['aria-checked'] === 'true'),
      )
      .map((element) => `switches to what it is: ${named(element)}`)
  },
  function current(find, $) {
    const tabs = find('.card-header-tabs, .record-tabs').filter((tabs) => $(tabs).find('[aria-current=page]').length !== 1)
    const pressed = find('.btn-group').filter((group) => $(group).find('[aria-pressed=true]').length > 1)
    const pages = find('nav').filter((nav) => $(nav).find('[aria-current=page]').length > 1)
    return [...tabs, ...pressed, ...pages].map((element) => `not one current: ${named(element)}`)
  },
  function selected(find, $) {
    return find('select:not([multiple])')
      .filter((select) => $(select).find('option[selected]').length > 1)
      .map((element) => `two selected: ${named(element)}`)
  },
  function pictures(find, $) {
    return find('[role=img]')
      .filter((picture) => $(picture).find('a').length > 0)
      .map((element) => `links that a picture hides: ${named(element)}`)
  },
  function rows(find, $) {
    return find('tbody a[aria-label], tbody button[aria-label], li button[aria-label][title]')
      .filter((element) => [element.attribs.title, $(element).text().trim()].includes(element.attribs['aria-label']))
      .filter((element) => $(element).closest('tr, .drafts li').length > 0)
      .map((element) => `named alike in each row, “${element.attribs['aria-label']}”: ${named(element)}`)
  },
  function devices(find) {
    return find('[href^="tel:"]')
      .filter(({ attribs }) => /[^+\d]/.test((attribs.href as string).slice(4)))
      .map((element) => `no number: ${named(element)}`)
  },
  function languages(find) {
    return find('[name=language][value]')
      .filter(({ name, attribs }) => name === 'button' && attribs.lang !== attribs.value)
      .map((element) => `no language: ${named(element)}`)
  },
  function cells(find, $) {
    const shown = 'img, svg, input, select, button, form, a'
    return find('table:not(.access-table) :is(td[data-label], td[data-col]:not([data-col=actions]))')
      .filter((cell) => !$(cell).text().trim() && $(cell).find(shown).length === 0)
      .map((cell) => `nothing, not even a dash: the cell of ${cell.attribs['data-label'] ?? cell.attribs['data-col']}`)
  },
  function amounts(find, $) {
    return find('[data-kopecks]:not(input, svg *)').flatMap((element) => {
      const kopecks = Number(element.attribs['data-kopecks'])
      const text = $(element).text().replaceAll(/\s/g, ' ').trim()
      const amount = formatMoney(Math.abs(kopecks), { currency_symbol: null, decimals: null }).replaceAll(/\s/g, ' ')
      return text.includes(amount) || (kopecks === 0 && text === '—')
        ? []
        : [`${kopecks} kopecks are shown as “${text}”: ${named(element)}`]
    })
  },
  function moments(find, $) {
    return find('time[datetime]').flatMap((element) => {
      const moment = Date.parse(element.attribs.datetime as string)
      const said = element.attribs.title ?? $(element).text().trim()
      return [formatDate(moment), formatDateTime(moment)].includes(said) ? [] : [`${element.attribs.datetime} is said to be ${said}`]
    })
  },
  function repeats(find, $) {
    return find('form.record-form[method=post], .confirm form[method=post]:has(input:not([type=hidden]), select, textarea)')
      .filter((form) => $(form).find('[name=once]').length === 0 && $(form).find('.btn-primary, .btn-danger').length > 0)
      .map((form) => `done again when sent again: ${named(form)}`)
  },
  function empties(find, $) {
    return find('.empty, .record-empty')
      .filter((element) => !$(element).text().trim())
      .map((element) => `empty: ${named(element)}`)
  },
]

/** What is wrong with the parts of a page, whatever it says: references, names, limits and states that contradict each other. */
export function flawsIn(html: string): string[] {
  const $ = parseHtml(html)
  const find = (selector: string) => $<Element, string>(selector).toArray()
  const rules = isDocument({ body: html } as never) ? [...ofDocuments, ...ofAll] : ofAll
  return rules.flatMap((rule) => rule(find, $))
}
