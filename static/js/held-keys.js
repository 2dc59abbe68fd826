/** So long nothing is pressed before a page is left: while browsers change pages, keys reach neither of them. */
const quiet = 80

let awaited
let replays = false

/** Keys that are pressed from now on are for what this element asks for. */
export function holdKeysFor(element) {
  awaited = element
  window.heldKeys ??= []
  window.heldKeys.goOn = true
  setTimeout(() => element === awaited && release(), 4000)
}

/** To the page of a link, once no key follows the one that it was pressed with. */
export function follow(link) {
  if (replays) return link.click()
  holdKeysFor(link)
  const { heldKeys } = window
  const waitAfter = (known) => setTimeout(() => (heldKeys.length > known ? waitAfter(heldKeys.length) : link.click()), quiet)
  waitAfter(0)
}

document.addEventListener('htmx:after:process', release, { once: true })
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) release()
})
document.addEventListener('htmx:finally:request', ({ target }) => {
  if (target === awaited) release()
})

function release() {
  const held = window.heldKeys ?? []
  awaited = undefined
  delete window.heldKeys
  replays = true
  for (const key of held) press(key)
  replays = false
}

/** Where the keyboard is by now: a key before may have led it there. */
function press(init) {
  const place = document.activeElement ?? document.body
  const goesOn = place.dispatchEvent(new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }))
  if (!goesOn || init.ctrlKey || init.metaKey) return
  if (init.key === 'Enter' && place.matches('a, button')) place.click()
  if (init.key.length === 1 && place.matches('textarea, input:not([type="checkbox"], [type="radio"])')) type(place, init.key)
}

function type(field, letter) {
  field.setRangeText(letter, field.selectionStart, field.selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
