import TomSelect from 'tom-select/base'
import searchInDropdown from 'tom-select/plugins/dropdown_input/plugin.js'
import { enhance } from './enhance.js'

TomSelect.define('dropdown_input', searchInDropdown)

enhance('select[data-searchable]', (select) => {
  if (select.disabled) return
  select.setAttribute('aria-label', select.labels[0]?.textContent ?? '')
  const source = select.dataset.searchable
  const render = { no_results: () => describe(select.dataset.empty), option: describeOption, item: describeOption }
  const options = {
    maxOptions: null,
    // What has to be chosen offers nothing but choices.
    allowEmptyOption: !select.required,
    placeholder: select.dataset.hint,
    plugins: ['dropdown_input'],
    render,
  }
  const isFocused = document.activeElement === select
  new TomSelect(select, source ? { ...options, ...searching(select, source) } : options)
  addHead(select.tomselect)
  opensByTyping(select.tomselect)
  choosesByEnterAlone(select.tomselect)
  if (source) {
    loadsAnew(select, select.tomselect)
    choosesWhatWasFound(select, select.tomselect)
  }
  if (select.autofocus) beginClosed(select, select.tomselect)
  else if (isFocused) select.tomselect.focus()
})

/** On a phone the list covers the page, what it is for among it, and no key closes it. */
function addHead(tomselect) {
  const head = Object.assign(document.createElement('div'), { className: 'sheet-head' })
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'btn btn-icon btn-ghost' })
  button.append(document.querySelector('.menu-head .icon')?.cloneNode(true) ?? '×')
  button.ariaLabel = document.getElementById('messages').dataset.closeList
  button.tabIndex = -1
  button.addEventListener('click', () => tomselect.blur())
  head.append(Object.assign(document.createElement('strong'), { textContent: tomselect.input.ariaLabel.replace(/\s*\*\s*$/, '') }), button)
  tomselect.dropdown.prepend(head)
}

function opensByTyping(tomselect) {
  tomselect.focus_node.addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey }) => {
    if ((key.length === 1 || key === 'Process') && !ctrlKey && !metaKey && !altKey) tomselect.open()
  })
}

/** What the page came with says nothing of prices, and what else the form holds may change them. */
function loadsAnew(select, tomselect) {
  let loaded
  const load = () => {
    const beside = String(searchedBeside(select))
    if (beside !== loaded) tomselect.load('')
    loaded = beside
  }
  for (const event of ['focus', 'dropdown_open']) tomselect.on(event, load)
}

/** What else a search depends on: who knows writes it into the detail of the event. */
function searchedBeside(select) {
  const detail = new URLSearchParams()
  select.dispatchEvent(new CustomEvent('searches', { bubbles: true, detail }))
  return detail
}

/** Enter that comes before the answer to what is typed waits for it: what stands first until then was found for something else. */
function choosesWhatWasFound(select, tomselect) {
  const isFound = () => ['', select.dataset.found].includes(tomselect.inputValue())
  let waits = false
  const wait = (event) => {
    waits = event.key === 'Enter' && tomselect.isOpen && !isFound()
    if (!waits) return
    event.preventDefault()
    event.stopPropagation()
  }
  tomselect.wrapper.addEventListener('keydown', wait, { capture: true })
  tomselect.on('load', () => {
    if (waits && isFound()) tomselect.control_input.dispatchEvent(pressOfEnter())
  })
}

const pressOfEnter = () => new KeyboardEvent('keydown', { key: 'Enter', keyCode: 13, bubbles: true, cancelable: true })

/** Ctrl with Enter sends the form as it is. */
function choosesByEnterAlone(tomselect) {
  const close = ({ key, ctrlKey, metaKey }) => key === 'Enter' && (ctrlKey || metaKey) && tomselect.close()
  tomselect.wrapper.addEventListener('keydown', close, { capture: true })
}

/** The first field of a page or dialog: a list that opens by itself would lie over the others. */
function beginClosed(select, { settings, focus_node }) {
  settings.openOnFocus = false
  focus_node.addEventListener('focus', () => (settings.openOnFocus = true), { once: true })
  select.autofocus = false
  focus_node.autofocus = true
  if ([document.body, select].includes(document.activeElement)) focus_node.focus({ preventScroll: true })
}

document.addEventListener('click', ({ target }) => {
  const link = target.closest('.error-summary a')
  if (link) document.getElementById(link.hash.slice(1))?.tomselect?.focus()
})

function describe(text) {
  return Object.assign(document.createElement('div'), { className: 'no-results', textContent: text })
}

function describeOption({ text, about, aside }) {
  const option = document.createElement('div')
  // In one element, so that marked letters stay within the words.
  option.append(Object.assign(document.createElement('span'), { textContent: text }))
  for (const [name, words] of Object.entries({ about, aside }))
    if (words) option.append(Object.assign(document.createElement('span'), { className: `option-${name}`, textContent: words }))
  return option
}

function searching(select, source) {
  return {
    load: (query, show) => loadOptions(select, source, query).then(withoutOpening(select, show), () => show()),
    score:
      () =>
      ({ value }) =>
        value && 1,
  }
}

// A late response must not reopen the list after a choice.
function withoutOpening({ tomselect }, show) {
  return (options) => {
    const { isOpen } = tomselect
    show(options)
    if (!isOpen) tomselect.close()
  }
}

async function loadOptions({ tomselect, dataset }, source, query) {
  const asked = new URLSearchParams([...searchedBeside(tomselect.input), ['q', query]])
  const answer = await fetch(`${source}&${asked}`, { headers: { 'HX-Request': 'true' } })
  if (!answer.ok || tomselect.inputValue() !== query) return []
  const found = new DOMParser().parseFromString(`<select>${await answer.text()}</select>`, 'text/html')
  tomselect.clearOptions()
  dataset.found = query
  return [...found.querySelectorAll('option')].map((option) => ({
    value: option.value,
    text: option.textContent,
    about: option.dataset.about,
    aside: option.dataset.aside,
  }))
}
