import TomSelect from 'tom-select/base'
import searchInDropdown from 'tom-select/plugins/dropdown_input/plugin.js'
import { enhance } from './enhance.js'

TomSelect.define('dropdown_input', searchInDropdown)

enhance('select[data-searchable]', (select) => {
  if (select.disabled) return
  select.setAttribute('aria-label', select.labels[0]?.textContent ?? '')
  const source = select.dataset.searchable
  const render = { no_results: () => describe(select.dataset.empty), option: describeOption }
  const options = { maxOptions: null, allowEmptyOption: true, plugins: ['dropdown_input'], render }
  new TomSelect(select, source ? { ...options, ...searching(select, source) } : options)
})

document.addEventListener('click', ({ target }) => {
  const link = target.closest('.error-summary a')
  if (link) document.getElementById(link.hash.slice(1))?.tomselect?.focus()
})

function describe(text) {
  return Object.assign(document.createElement('div'), { className: 'no-results', textContent: text })
}

function describeOption({ text, about }) {
  const option = document.createElement('div')
  option.append(text)
  if (about) option.append(Object.assign(document.createElement('span'), { className: 'option-about', textContent: about }))
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

async function loadOptions({ tomselect }, source, query) {
  const answer = await fetch(`${source}&${new URLSearchParams({ q: query })}`, { headers: { 'HX-Request': 'true' } })
  if (!answer.ok || tomselect.inputValue() !== query) return []
  const found = new DOMParser().parseFromString(`<select>${await answer.text()}</select>`, 'text/html')
  tomselect.clearOptions()
  return [...found.querySelectorAll('option')].map((option) => ({
    value: option.value,
    text: option.textContent,
    about: option.dataset.about,
  }))
}
