/** What is open and lists something to choose. */
const menus = 'details.dropdown[open], .row-actions :popover-open, dialog .bulk-choices'

const choices = 'a[href], button, summary, input, select'

/** Where letters and arrows are for what is typed or chosen; a search above what it narrows is left by arrows. */
const typing = 'textarea, select, input:not([type="checkbox"])'

/** Whether keys belong to the menu around what has the focus. */
export const isInMenu = () => document.activeElement.closest(menus) !== null

document.addEventListener('click', ({ target }) => {
  closeAll(target.closest('[data-close-menu]') ? undefined : target)
  // What the sheet of a list was opened for is looked at below it.
  target.closest('.list-tools:popover-open .list-actions a')?.closest('.list-tools').hidePopover()
})

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event
  if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return
  if (key === 'Escape' ? close(target) : goThrough(target, key)) event.preventDefault()
})

/** Back to what has opened it. What is open behind a dialog does not keep that from closing. */
function close(target) {
  const menu = target.closest('details.dropdown[open]')
  if (!menu) return closeAll(undefined, target.closest('dialog') ?? document)
  menu.open = false
  menu.querySelector('summary').focus()
  return true
}

function goThrough(target, key) {
  const isArrow = key === 'ArrowDown' || key === 'ArrowUp'
  if (isArrow && target.matches('details.dropdown:not([open]) > summary')) target.parentElement.open = true
  const menu = target.closest(menus)
  if (!menu || (target.matches(typing) && !(isArrow && target.matches('[type="search"]')))) return false
  const next = nextOf(choicesIn(menu), target, key)
  next?.focus()
  return Boolean(next)
}

/** To its first choice; what takes all of them back is none. */
export function enter(menu) {
  menu.open = true
  choicesIn(menu)
    .find((one) => !one.matches('[data-clear]'))
    ?.focus()
  return true
}

function choicesIn(menu) {
  const opener = menu.querySelector(':scope > summary')
  return [...menu.querySelectorAll(choices)].filter((one) => one !== opener && !one.disabled && one.tabIndex >= 0 && one.checkVisibility())
}

function nextOf(all, current, key) {
  const at = all.indexOf(current)
  if (key === 'ArrowDown') return all[(at + 1) % all.length]
  if (key === 'ArrowUp') return all.at(at > 0 ? at - 1 : -1)
  if (key === 'Home') return all[0]
  if (key === 'End') return all.at(-1)
  if (!/^\p{L}$/u.test(key)) return undefined
  return [...all.slice(at + 1), ...all.slice(0, at + 1)].find((one) => beginsWith(one, key))
}

const beginsWith = ({ textContent }, letter) => textContent.trim().toLocaleLowerCase().startsWith(letter.toLocaleLowerCase())

function closeAll(except, place = document) {
  const open = [...place.querySelectorAll('details.dropdown[open]')].filter((menu) => !menu.contains(except))
  for (const menu of open) menu.open = false
  return open.length > 0
}
