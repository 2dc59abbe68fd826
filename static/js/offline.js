import { standAboveBars } from './messages.js'
import { whenReached } from './reach.js'

// Where it cannot be had, such as without HTTPS, pages do without it.
const { worker } = document.querySelector('script[data-worker]')?.dataset ?? {}
if (worker) navigator.serviceWorker?.register(worker).catch(() => {})

const standIn = document.querySelector('[data-stands-in]')
const note = document.getElementById('no-connection')

if (standIn && standIn.dataset.standsIn !== location.pathname) whenReached().then(() => location.reload())

if (note && !standIn) {
  note.role = 'status'
  addEventListener('online', tell)
  addEventListener('offline', tell)
  document.addEventListener('toggle', tellAgain, { capture: true })
  tell()
}

function tell() {
  standAboveBars()
  note.hidden = navigator.onLine
  if (note.hidden) note.hidePopover()
  else note.showPopover()
}

/** A dialog lies over everything that was there before it. */
function tellAgain({ target, newState }) {
  if (newState !== 'open' || !target.matches('dialog') || note.hidden) return
  note.hidePopover()
  note.showPopover()
}
