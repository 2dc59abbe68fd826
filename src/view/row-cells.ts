import type { Translate } from '../i18n/translate.ts'
import { attr, html, type Markup, marked, markup } from './html.ts'

export interface ShownList {
  name: string
  path: string
  /** Where the names of rows lead, followed by their ids and by what reading them needs. */
  page: string
  reading: string
  back: string
  more: string
  picks: boolean
  words: readonly string[]
}

export interface ShownRow {
  [key: string]: unknown
  id: number
  may: Record<string, boolean>
  kept?: string
  editPath?: string
  asks?: boolean
}

interface Reader {
  t: Translate
  url: (path: string) => string
  icon: (name: string) => unknown
}

/** What the rows of lists share, whatever their columns. */
export function rowCells({ t, url, icon }: Reader) {
  return { tick, link, switch: onOff, menuButton, actions }

  function tick(list: ShownList, row: ShownRow, name: unknown): Markup | undefined {
    if (!list.picks) return undefined
    const label = html`${t('Select')}: ${name}`
    return html`<td class="row-select"><input type="checkbox" name="id" value="${row.id}" form="${list.name}-bulk" aria-label="${label}"></td>`
  }

  /** The name of a record leads to where it is read, for those who may see it. */
  function link({ page, reading, words }: ShownList, { id, may }: ShownRow, text: unknown): unknown {
    const shown = marked(text, words) || '—'
    return may.view ? html`<a class="row-link" href="${page}${id}${reading}">${shown}</a>` : shown
  }

  /** Posts the requested state and is replaced by the saved one. */
  function onOff(list: ShownList, row: ShownRow, key: string, label: string, name: unknown): Markup {
    const isOn = Boolean(row[key])
    const stated = isOn ? attr('class', row.may.switch ? undefined : 'is-blank') : attr('data-label', label)
    return html`<td data-col="${key}"${stated}>${row.may.switch ? switchForm(list, row, key, isOn, html`${label}: ${name}`) : state(isOn)}</td>`
  }

  function switchForm({ name, path }: ShownList, { id, asks }: ShownRow, key: string, isOn: boolean, label: Markup): Markup {
    return html`<form class="form-switch" method="post" action="${path}/${id}/${key}" hx-boost="true" hx-target="closest td" hx-swap="outerMorph">
<input type="hidden" name="value" value="${isOn ? 0 : 1}">${asks ? html`<input type="hidden" name="ask" value="1">` : ''}
<button class="form-check-input" id="${name}-${id}-${key}" role="switch" aria-checked="${isOn}" aria-label="${label}"></button>
</form>${isOn ? '' : html`<span class="switched-off">${t('No')}</span>`}`
  }

  function state(isOn: boolean): unknown {
    return isOn ? html`${icon('check')} ${t('Yes')}` : t('No')
  }

  /** Opens what can be done with a row. */
  function menuButton(menu: string, name: unknown): Markup {
    return html`<button class="row-menu" popovertarget="${menu}" aria-label="${t('Actions')}: ${name}"></button>`
  }

  function actions(list: ShownList, row: ShownRow, name: unknown): Markup {
    const items = String(actionsOf(list, row, name))
    const menu = `${list.name}-${row.id}-menu`
    const shown = items || row.may.switch ? html`${menuButton(menu, name)}<div id="${menu}" popover>${markup(items)}</div>` : ''
    return html`<td class="row-actions">${shown}</td>`
  }

  function actionsOf(list: ShownList, row: ShownRow, name: unknown): Markup {
    const { id, may, kept } = row
    const impersonate = may.impersonate
      ? html`<a class="is-login" href="${url(`/impersonate/${id}`)}" title="${t('Sign in as')}: ${name}"></a>`
      : ''
    const edit = may.edit && may.view ? editLink(list, row, name) : ''
    const trash = may.delete
      ? html`<a class="is-trash" href="${list.path}/delete?id=${id}${list.more}" hx-boost="true" title="${t('Delete')}: ${name}"></a>`
      : kept && html`<span class="is-trash is-kept" role="img" title="${kept}"></span>`
    return html`${impersonate}${edit}${trash}`
  }

  /** What has a page to read and others to edit is edited in the dialog that its `editPath` fills; anything else on its card. */
  function editLink({ page, back }: ShownList, { id, editPath }: ShownRow, name: unknown): Markup {
    const address = editPath ? `${url(editPath)}?return=list${back.replace('?', '&')}` : `${page}${id}${back}`
    const boost = attr('hx-boost', editPath && 'true')
    return html`<a class="is-edit" href="${address}"${boost} title="${t('Edit')}: ${name}"></a>`
  }
}
