// Swaps keep focus on elements that stay or have an id; otherwise it moves to what the response is about.
let region
let turned

document.addEventListener('htmx:before:swap', ({ detail: { ctx, tasks } }) => {
  const target = tasks[0]?.target
  region = target?.contains(document.activeElement) ? target.id : undefined
  turned = ctx.sourceElement?.closest?.('[data-pages]') && target?.id
})

document.addEventListener('htmx:after:swap', () => {
  const shown = region && document.getElementById(region)
  if (shown && document.activeElement === document.body)
    focusOn(shown.querySelector('.order-transitions, .list-table') ?? shown, { preventScroll: true })
  showTop()
})

export function focusOn(place, options) {
  place.tabIndex = -1
  place.focus(options)
}

function showTop() {
  const card = turned && document.getElementById(turned)?.closest('.list-card')
  if (card && card.getBoundingClientRect().top < 0) card.scrollIntoView()
}
