import Sortable from 'sortablejs'
import { enhance } from './enhance.js'

enhance('[data-sortable]', (list) => {
  new Sortable(list, {
    animation: 120,
    filter: 'input, select, button, a',
    preventOnFilter: false,
    onEnd: () => list.dispatchEvent(new Event('input', { bubbles: true })),
  })
})
