// What is folded moves what is focused.
import './fold-sections.js'

if (sessionStorage.getItem('edits') === location.pathname && document.activeElement === document.body)
  document.querySelector('main form[data-guard] :is(input:not([type="hidden"]), select, textarea):not(:disabled, [tabindex="-1"])')?.focus()
sessionStorage.removeItem('edits')

// What was done is said above the page, which goes on from its heading.
if (
  document.activeElement === document.body &&
  document.querySelector('#messages .flash') &&
  !location.hash &&
  !document.querySelector('main [autofocus]')
) {
  const heading = document.querySelector('main h1')
  if (heading) focusOn(heading, { preventScroll: true })
}

// What a field that an address names holds already is replaced by what is typed there.
const named = document.querySelector(':target')
if (named?.matches('input:not([type="file"])')) {
  named.focus()
  named.select()
  named.scrollIntoView({ behavior: 'instant' })
}

// Rows that an address names are where work continues: with what is empty in them, or a new one.
if (document.activeElement === document.body && location.hash) {
  const rows = named?.closest('form .repeater')
  const controls = [...(rows?.querySelectorAll('input:not([type=hidden]), [data-row-add]') ?? [])]
  controls.find((control) => !control.value || control.matches('[data-row-add]'))?.focus()
}

// Morphing keeps focus on elements that stay; otherwise focus moves to what replaced them, or to what the response is about.
let region
let focused
let turned

document.addEventListener('htmx:before:swap', ({ detail: { ctx, tasks } }) => {
  const target = tasks[0]?.target
  region = target?.contains(document.activeElement) ? target.id : undefined
  focused = document.activeElement.closest('[id]')?.id
  turned = ctx.sourceElement?.closest?.('[data-pages]') && target?.id
})

document.addEventListener('htmx:after:swap', () => {
  const shown = region && document.getElementById(region)
  if (shown && document.activeElement === document.body) focusIn(shown)
  showTop()
})

/** What is wrong comes first. A filter that was chosen has become a chip, and a chip that was taken off is what it is chosen in again. */
function focusIn(shown) {
  const wrong = shown.querySelector('.error-summary')
  if (wrong) return focusOn(wrong)
  const same = document.getElementById(focused)
  const place = same?.querySelector(':scope > summary') ?? same
  place?.focus({ preventScroll: true })
  if (document.activeElement === document.body)
    focusOn(shown.querySelector('.order-transitions, .list-table, .empty') ?? shown, { preventScroll: true })
}

export function focusOn(place, options) {
  place.tabIndex = -1
  place.focus(options)
}

function showTop() {
  const card = turned && document.getElementById(turned)?.closest('.list-card')
  if (card && card.getBoundingClientRect().top < 0) card.scrollIntoView()
}
