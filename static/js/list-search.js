import { focusOn } from './focus.js'
import { goBackToRow, goToEdge } from './rows.js'

let hasLeft = false

// From the search down into its list. Esc leads there, too, and leaves what was searched for; once more, it empties the search.
document.addEventListener(
  'keydown',
  (event) => {
    const { key, target, isComposing, ctrlKey, metaKey, altKey, shiftKey } = event
    if (isComposing || ctrlKey || metaKey || altKey || shiftKey) return
    const search = target.closest('.list-search [name="q"]')
    const again = hasLeft && key === 'Escape' && !search
    hasLeft = false
    if (again) return empty(event)
    if (!search || !['ArrowDown', 'Escape'].includes(key)) return
    event.preventDefault()
    hasLeft = key === 'Escape'
    const list = document.getElementById(search.id.replace(/q$/, 'table'))
    if (!(hasLeft && goBackToRow()) && !goToEdge('first')) focusOn(list.querySelector('.empty'))
  },
  { capture: true },
)

function empty(event) {
  const search = document.querySelector('.list-search [name="q"]')
  if (!search?.value || document.querySelector('.has-selected')) return
  event.preventDefault()
  search.value = ''
  search.form.requestSubmit()
}
