// The server prices the lines while they are typed, so that page and order never disagree.
let timer
let asking

for (const [event, pause] of [
  ['input', 150],
  ['change', 0],
])
  document.addEventListener(event, ({ target }) => {
    const button = target.closest('form')?.querySelector('[data-prices]')
    if (button && (target.id === 'dealer_id' || target.id === 'agreed' || target.closest('[data-repeater="items"]'))) askIn(pause, button)
  })

// Products are offered at the prices of the order, or of the dealer who is chosen.
document.addEventListener('searches', ({ target, detail }) => {
  const button = target.form.querySelector('[data-prices]')
  if (!button || !target.closest('[data-repeater="items"]')) return
  for (const [name, value] of new URL(button.dataset.prices, location).searchParams) detail.append(name, value)
  const dealer = target.form.elements.dealer_id?.value
  if (dealer) detail.append('dealer_id', dealer)
})

function askIn(pause, button) {
  const total = document.getElementById('order-total')
  // What is sent meanwhile has shown no total.
  total.querySelector('input').value = ''
  total.setAttribute('aria-busy', 'true')
  clearTimeout(timer)
  asking?.abort()
  timer = setTimeout(ask, pause, button)
}

async function ask({ form, dataset }) {
  asking = new AbortController()
  const sent = [...new FormData(form)].filter(
    ([name, value]) => typeof value === 'string' && (name === 'dealer_id' || name === 'agreed' || name.startsWith('items')),
  )
  const options = { method: 'POST', body: new URLSearchParams(sent), headers: { 'HX-Request': 'true' }, signal: asking.signal }
  const answer = await fetch(dataset.prices, options).catch(() => undefined)
  const text = answer?.ok ? await answer.text().catch(() => undefined) : undefined
  // A form that was sent meanwhile is shown again with what is wrong.
  if (text !== undefined && form.isConnected) show(new DOMParser().parseFromString(text, 'text/html'))
}

function show(answer) {
  for (const part of [...answer.body.children]) {
    const shown = document.getElementById(part.id)
    // Inputs for the same sizes stay: somebody may be typing into them.
    if (shown && !(part.dataset.sizes && part.dataset.sizes === shown.dataset.sizes)) shown.replaceWith(part)
  }
  document.dispatchEvent(new Event('priced'))
}
