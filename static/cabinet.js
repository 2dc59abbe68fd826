// Comfort over pages that work without it. Nothing here holds state: the server does.

// What an answer of the server brought needs the same care as the page itself.
document.addEventListener('DOMContentLoaded', () => enhance(document))
document.addEventListener('htmx:after:swap', (event) => {
  enhance(document)
  if (event.target.id === 'dialog' || event.detail?.ctx?.target?.id === 'dialog') openDialog()
})

function enhance(root) {
  for (const select of root.querySelectorAll('select[data-searchable]:not(.tomselected)')) searchable(select)
  for (const input of root.querySelectorAll('input[data-mask]')) mask(input)
  for (const form of root.querySelectorAll('form[data-guard]')) guard(form)
  for (const list of root.querySelectorAll('[data-sortable]')) sortable(list)
  for (const place of root.querySelectorAll('.table-scroll')) {
    fitting.observe(place)
    fitting.observe(place.firstElementChild)
  }
}

// Only a table that does not scroll sideways in its place can keep its head in sight.
const fitting = new ResizeObserver((resized) => {
  for (const { target } of resized) {
    const place = target.closest('.table-scroll')
    place.dataset.fits = place.scrollWidth > place.clientWidth ? 'no' : 'yes'
  }
})

function sortable(list) {
  if (!window.Sortable || list.dataset.sorting) return
  list.dataset.sorting = 'yes'
  new Sortable(list, {
    animation: 120,
    filter: 'input, select, button, a',
    preventOnFilter: false,
    onEnd: () => list.dispatchEvent(new Event('input', { bubbles: true })),
  })
}

function searchable(select) {
  if (!window.TomSelect || select.disabled) return
  select.setAttribute('aria-label', select.labels[0]?.textContent ?? '')
  const source = select.dataset.searchable
  const found = source
    ? {
        load: (query, show) => loadOptions(select, source, query).then(keepingShut(select, show), () => show()),
        score:
          () =>
          ({ value }) =>
            value && 1,
      }
    : {}
  new TomSelect(select, { maxOptions: null, allowEmptyOption: true, plugins: ['dropdown_input'], ...found })
}

// An answer that comes when the choice has been made must not open the list again.
function keepingShut({ tomselect }, show) {
  return (options) => {
    const { isOpen } = tomselect
    show(options)
    if (!isOpen) tomselect.close()
  }
}

// Of very many choices the server names those that a search finds; the last question counts.
async function loadOptions({ tomselect }, source, query) {
  const answer = await fetch(`${source}&${new URLSearchParams({ q: query })}`, { headers: { 'HX-Request': 'true' } })
  if (!answer.ok || tomselect.inputValue() !== query) return []
  const found = new DOMParser().parseFromString(`<select>${await answer.text()}</select>`, 'text/html')
  tomselect.clearOptions()
  return [...found.querySelectorAll('option')].map((option) => ({ value: option.value, text: option.textContent }))
}

// A number that does not fit the mask stays as somebody wrote it.
function mask(input) {
  if (!window.IMask || input.dataset.masked) return
  input.dataset.masked = 'yes'
  const fits = /^(\+7\(\d{3}\) \d{3} \d{2} \d{2})?$/.test(input.value)
  if (fits) IMask(input, { mask: input.dataset.mask })
}

// Says when something is unsaved, and asks before it is lost.
function guard(form) {
  if (form.dataset.guarded) return
  form.dataset.guarded = 'yes'
  const note = form.querySelector('.unsaved')
  let dirty = form.querySelector('[aria-invalid]') !== null && !('unanswered' in form.dataset)
  form.addEventListener('input', () => {
    dirty = true
    if (note) note.hidden = false
  })
  form.addEventListener('submit', () => {
    dirty = false
  })
  addEventListener('beforeunload', (event) => {
    if (dirty && form.isConnected) event.preventDefault()
  })
  // A tab or a step of the order would take the form away without asking; opened as a page, it asks.
  const openAsPage = (event) => {
    if (dirty && form.isConnected && event.target.closest(takesFormsAway[event.type])) event.stopPropagation()
  }
  for (const type of Object.keys(takesFormsAway)) document.addEventListener(type, openAsPage, { capture: true })
}

const takesFormsAway = { click: '.tabs a', submit: '.steps-ways, .steps-settle' }

// The server did not answer at all: say so where messages stand.
document.addEventListener('htmx:error', (event) => {
  const { response, sourceElement } = event.detail?.ctx ?? {}
  // The bell finds another way.
  if (response || sourceElement?.id === 'bell') return
  warn('offline')
})

// The session has run out while somebody is typing: to go to the sign-in page now would lose that; sending the form will not.
document.addEventListener('htmx:before:response', (event) => {
  const { request, response } = event.detail.ctx
  if (response.status !== 401 || request.method !== 'GET' || !event.target.closest?.('form[data-guard]')) return
  event.preventDefault()
  warn('ended')
})

function warn(about) {
  const messages = document.getElementById('messages')
  const note = document.createElement('div')
  note.className = 'alert alert-danger'
  note.setAttribute('role', 'alert')
  note.textContent = messages.dataset[about]
  messages.replaceChildren(note)
}

// The confirmation of a deletion, and whatever else asks before it acts.
function openDialog() {
  const dialog = document.getElementById('dialog')
  if (!dialog.open) dialog.showModal()
  dialog.querySelector('[autofocus]')?.focus()
}

document.addEventListener('htmx:before:swap', (event) => {
  const target = event.detail?.ctx?.target
  const dialog = document.getElementById('dialog')
  if (!dialog.open || target === dialog) return
  dialog.close()
  focusLost = true
})

// What opened the dialog may be gone with what it changed: work goes on at the message that says so.
let focusLost = false
document.addEventListener('htmx:after:swap', () => {
  if (!focusLost) return
  focusLost = false
  const goOn = document.querySelector('main [role="status"]:not([hidden]), main [role="alert"]') ?? document.getElementById('main')
  goOn.tabIndex = -1
  goOn.focus()
})

// What was said of an older state goes with it.
document.addEventListener('htmx:before:swap', ({ detail: { tasks } }) => {
  if (tasks[0]?.target?.matches('.list-region, .record-card')) document.getElementById('messages').replaceChildren()
})

// Work goes on in what takes the place of something: an open menu stays open, a table is as far aside as it was, another page of it
// begins in sight, and a focus that finds no element of its id goes to what the answer is about.
let left
document.addEventListener('htmx:before:swap', ({ detail: { ctx, tasks } }) => {
  for (const { target, fragment } of tasks)
    for (const menu of target?.querySelectorAll('details[id][open]') ?? []) fragment.getElementById(menu.id)?.setAttribute('open', '')
  const region = tasks[0]?.target
  left = region?.id && {
    id: region.id,
    aside: region.querySelector('.table-scroll')?.scrollLeft,
    focused: region.contains(document.activeElement),
    paged: ctx.sourceElement?.closest?.('.pager'),
  }
})
document.addEventListener('htmx:after:swap', () => {
  const region = left && document.getElementById(left.id)
  if (!region) return
  if (left.aside) region.querySelector('.table-scroll')?.scrollTo({ left: left.aside, behavior: 'instant' })
  const card = left.paged && region.closest('.list-card')
  if (card && card.getBoundingClientRect().top < 0) card.scrollIntoView()
  if (left.focused && document.activeElement === document.body) goOnAt(region.querySelector('.order-steps, .list-table, .empty') ?? region)
})

function goOnAt(place) {
  place.tabIndex = -1
  place.focus({ preventScroll: true })
}

document.addEventListener('click', (event) => {
  closeDropdowns(event.target)
  const close = event.target.closest('#dialog [data-close]')
  if (close) {
    event.preventDefault()
    document.getElementById('dialog').close()
  }
  const clear = event.target.closest('[data-clear]')
  if (clear) document.getElementById(clear.dataset.clear).value = ''
  openRow(event)
})

// A year that is being typed is a date from its first digit on.
document.addEventListener('change', ({ target }) => {
  const complete = target.type !== 'date' || target.value >= '1000'
  if (target.matches('[data-submits]') && complete) target.form.requestSubmit()
})

// A click on a row opens its card; links, buttons and marked text in it keep their own meaning.
function openRow(event) {
  if (event.defaultPrevented || event.target.closest('a, button, input, label, form, th')) return
  const link = event.target.closest('tr')?.querySelector('.row-link')
  if (!link || getSelection().toString()) return
  if (event.ctrlKey || event.metaKey) open(link.href)
  else location.assign(link.href)
}

function closeDropdowns(except) {
  for (const box of document.querySelectorAll('details.dropdown-box[open]')) if (!box.contains(except)) box.open = false
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    event.target.closest('details.dropdown-box[open]')?.querySelector('summary').focus()
    closeDropdowns()
  }
  const typing = event.target.closest('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
  const search = document.querySelector('[data-hotkey="/"]')
  if (!search) return
  event.preventDefault()
  search.select()
})

// Selecting rows: the page at once, a range with Shift, and the count of what is selected.
let lastPicked = null
document.addEventListener('click', (event) => {
  const box = event.target.closest('tbody .pick input')
  if (!box) return
  const boxes = [...box.closest('tbody').querySelectorAll('.pick input')]
  if (event.shiftKey && boxes.includes(lastPicked)) {
    const [from, to] = [boxes.indexOf(lastPicked), boxes.indexOf(box)].sort((a, b) => a - b)
    for (const between of boxes.slice(from, to + 1)) between.checked = box.checked
  }
  lastPicked = box
  countSelected(box.closest('.list-region'))
})
document.addEventListener('change', (event) => {
  const all = event.target.closest('[data-select-page]')
  if (!all) return
  const region = all.closest('.list-region')
  for (const box of region.querySelectorAll('tbody .pick input')) box.checked = all.checked
  countSelected(region)
})
function countSelected(region) {
  const boxes = [...region.querySelectorAll('tbody .pick input')]
  const checked = boxes.filter((box) => box.checked).length
  const note = region.querySelector('[data-selected]')
  note.textContent = `${note.dataset.selected}: ${checked}`
  const all = region.querySelector('[data-select-page]')
  all.checked = checked === boxes.length
  all.indeterminate = checked > 0 && checked < boxes.length
}

// Rows of a repeater: added by the server, removed and moved here; their order in the page is the order that is saved.
document.addEventListener('htmx:config:request', (event) => {
  const { ctx } = event.detail
  const add = ctx.sourceElement.closest?.('[data-row-add]')
  if (!add) return
  const rows = [...document.getElementById(`${add.value}-rows`).children]
  ctx.request.action += `?index=${Math.max(-1, ...rows.map((row) => Number(row.dataset.index))) + 1}`
})

document.addEventListener('htmx:after:swap', (event) => {
  const list = event.detail?.ctx?.target
  if (list?.matches?.('.repeater-rows')) list.lastElementChild?.querySelector('input:not([type=hidden]), select')?.focus()
})

document.addEventListener('click', (event) => {
  const remove = event.target.closest('[data-row-remove]')
  const up = event.target.closest('[data-row-up]')
  const row = (remove ?? up)?.closest('.repeater-row')
  if (!row) return
  event.preventDefault()
  const repeater = row.closest('.repeater')
  repeater.dispatchEvent(new Event('input', { bubbles: true }))
  if (up) {
    row.previousElementSibling?.before(row)
    up.focus()
  } else {
    const next = row.nextElementSibling ?? row.previousElementSibling
    row.remove()
    const focus = next?.querySelector('[data-row-remove]') ?? repeater.querySelector('[data-row-add]')
    focus.focus()
  }
})
