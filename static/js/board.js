const board = document.getElementById('board')
let dragged = null

board?.addEventListener('dragstart', (event) => {
  dragged = event.target.closest('[data-order]')
  if (!dragged) return
  event.dataTransfer.effectAllowed = 'move'
  for (const column of board.querySelectorAll('[data-status]')) column.toggleAttribute('data-accepts', Boolean(stepTo(column)))
})

board?.addEventListener('dragend', () => {
  for (const column of board.querySelectorAll('[data-accepts]')) column.removeAttribute('data-accepts')
  dragged = null
})

board?.addEventListener('dragover', (event) => {
  if (stepTo(event.target.closest('[data-status]'))) event.preventDefault()
})

board?.addEventListener('drop', (event) => {
  const step = stepTo(event.target.closest('[data-status]'))
  if (!step) return
  event.preventDefault()
  step.click()
})

function stepTo(column) {
  return column && dragged?.querySelector(`[data-to="${column.dataset.status}"]`)
}

// On a phone, where one column is in sight, what leads to it says so.
const inSight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const jump = document.querySelector(`.board-jumps [href="#${target.getAttribute('aria-labelledby')}"]`)
      if (isIntersecting) jump?.setAttribute('aria-current', 'true')
      else jump?.removeAttribute('aria-current')
      if (isIntersecting) jump?.parentElement.scrollTo({ left: jump.offsetLeft - 40 })
    }
  },
  { root: board, threshold: 0.6 },
)
for (const column of board?.querySelectorAll('[data-status]') ?? []) inSight.observe(column)
