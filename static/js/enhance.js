const enhancements = []

/** Calls `setUp` once for each matching element, including those that htmx adds later. */
export function enhance(selector, setUp) {
  const enhancement = { selector, setUp, done: new WeakSet() }
  enhancements.push(enhancement)
  apply(enhancement)
}

function apply({ selector, setUp, done }) {
  for (const element of document.querySelectorAll(selector)) {
    if (done.has(element)) continue
    done.add(element)
    setUp(element)
  }
}

document.addEventListener('htmx:after:swap', () => enhancements.forEach(apply))
