import 'cally'
import styles from '../css/calendar.css'

const sheet = new CSSStyleSheet()
sheet.replaceSync(styles)
document.adoptedStyleSheets.push(sheet)

/** Makes a button open a calendar: at the day that `chosen` returns, and `choose` gets the next one as `YYYY-MM-DD`. Opens it. */
export function attachCalendar(button, { chosen, choose }) {
  const calendar = makeCalendar(button.dataset)
  const panel = makePanel(button, calendar)
  panel.addEventListener('beforetoggle', ({ newState }) => {
    if (newState !== 'open') return
    calendar.value = chosen()
    calendar.today = new Date().toLocaleDateString('sv')
    calendar.focusedDate = calendar.value || calendar.today
    calendar.querySelector('[slot=heading]').textContent = nameMonth(new Date(calendar.focusedDate))
  })
  panel.addEventListener('toggle', async ({ newState }) => {
    if (newState !== 'open') return
    place(panel, button)
    await calendar.updated
    calendar.focus()
  })
  addEventListener('resize', () => panel.matches(':popover-open') && place(panel, button))
  calendar.addEventListener('change', () => {
    panel.hidePopover()
    choose(calendar.value)
  })
  panel.showPopover()
}

function makeCalendar({ previous, next }) {
  const calendar = document.createElement('calendar-date')
  calendar.locale = document.documentElement.lang
  calendar.formatWeekday = 'short'
  calendar.showOutsideDays = true
  const heading = document.createElement('span')
  heading.slot = 'heading'
  heading.className = 'calendar-heading'
  heading.ariaHidden = 'true'
  calendar.append(makeArrow('previous', previous), heading, makeArrow('next', next), document.createElement('calendar-month'))
  calendar.addEventListener('focusday', ({ detail }) => (heading.textContent = nameMonth(detail)))
  return calendar
}

/** For those who see: others hear it from the calendar. */
function nameMonth(day) {
  return new Intl.DateTimeFormat(document.documentElement.lang, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(day)
}

function makeArrow(slot, name) {
  const arrow = document.createElement('span')
  arrow.slot = slot
  arrow.className = `calendar-${slot}`
  const words = arrow.appendChild(document.createElement('span'))
  words.className = 'visually-hidden'
  words.textContent = name
  return arrow
}

function makePanel(button, calendar) {
  const panel = document.createElement('div')
  panel.className = 'calendar-panel'
  panel.popover = 'auto'
  panel.role = 'dialog'
  panel.ariaLabel = button.ariaLabel
  panel.append(calendar)
  // Escape closes the calendar alone, not what it stands in.
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') event.stopPropagation()
  })
  button.after(panel)
  button.popoverTargetElement = panel
  return panel
}

/** Below its field, or above where there is no room; on phones the style sheet puts it at the bottom. */
function place(panel, button) {
  const field = button.parentElement.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = panel
  const { clientWidth, clientHeight } = document.documentElement
  const below = field.bottom + 4
  const above = field.top - height - 4
  panel.style.setProperty('--top', `${(below + height > clientHeight && above > 0 ? above : below) + scrollY}px`)
  panel.style.setProperty('--left', `${Math.max(8, Math.min(field.left, clientWidth - width - 8)) + scrollX}px`)
}
