import { enhance } from './enhance.js'

document.addEventListener('click', (event) => {
  const clear = event.target.closest('[data-clear]')
  if (clear) document.getElementById(clear.dataset.clear).value = ''
  openRow(event)
})

// Clicks on links and buttons, and selecting text, must not open the card.
function openRow(event) {
  if (event.target.closest('a, button, input, label, form, summary')) return
  const link = event.target.closest('tr')?.querySelector('.row-link')
  if (!link || getSelection().toString()) return
  if (event.ctrlKey || event.metaKey) open(link.href)
  else location.assign(link.href)
}

// A text that its column cuts off is read by pointing at it.
document.addEventListener('pointerover', ({ target }) => {
  const cut = target.closest('.list-table td')?.querySelector('.cut, .overdue')
  const cell = cut?.parentElement
  if (cut && !cell.title && cut.scrollHeight > cut.clientHeight) cell.title = cell.innerText
})

// What was typed before htmx heard it is asked for as soon as it does.
document.addEventListener('htmx:after:init', ({ target }) => {
  const search = target.querySelector?.(':scope.list-search > [name=q]')
  if (search && search.value !== search.defaultValue) target.requestSubmit()
})

document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-submits]') && target.reportValidity()) target.form.requestSubmit()
})

document.addEventListener('input', ({ target }) => {
  if (!target.matches('[data-filter-options]')) return
  const wanted = target.value.trim().toLocaleLowerCase()
  for (const option of target.nextElementSibling.children) option.hidden = !option.textContent.toLocaleLowerCase().includes(wanted)
})

// Tabs that scroll on a phone show the open one; the page stays where it is.
enhance('.nav-tabs [aria-current]', (tab) => {
  const tabs = tab.closest('.nav-tabs')
  const [one, all] = [tab.getBoundingClientRect(), tabs.getBoundingClientRect()]
  tabs.scrollLeft += one.left - all.left - (all.width - one.width) / 2
})

const fitting = new ResizeObserver((resized) => {
  for (const { target } of resized) {
    const place = target.closest('.table-responsive')
    if (place && target.isConnected) place.dataset.fits = place.scrollWidth > place.clientWidth ? 'no' : 'yes'
    else fitting.unobserve(target)
  }
})
enhance('.table-responsive, .table-responsive > table', (element) => fitting.observe(element))

document.addEventListener(
  'submit',
  ({ target: form }) => {
    const button = form.querySelector('[role="switch"]')
    if (!button) return
    form.setAttribute('hx-indicator', 'this')
    flip(button)
    // A second click may come before the first is answered: what is sent is what is seen.
    form.elements.value.value = button.getAttribute('aria-checked') === 'true' ? '1' : '0'
    const settle = (event) => {
      const { ctx } = event.detail
      if (ctx?.sourceElement !== form) return
      document.removeEventListener('htmx:finally:request', settle)
      if (!ctx.response?.raw?.ok && form.isConnected) flip(button)
    }
    document.addEventListener('htmx:finally:request', settle)
  },
  { capture: true },
)

function flip(button) {
  button.setAttribute('aria-checked', button.getAttribute('aria-checked') !== 'true')
}
