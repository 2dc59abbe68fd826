// The server renders new rows; their order in the page is the order that is saved.
document.addEventListener('htmx:config:request', (event) => {
  const { ctx } = event.detail
  const add = ctx.sourceElement.closest?.('[data-row-add]')
  if (!add) return
  const rows = [...document.getElementById(`${add.value}-rows`).children]
  ctx.request.action += `?index=${Math.max(-1, ...rows.map((row) => Number(row.dataset.index))) + 1}&rows=${rows.length}`
})

document.addEventListener('htmx:after:swap', (event) => {
  const list = event.detail?.ctx?.target
  if (!list?.matches?.('.repeater-rows')) return
  const fields = list.lastElementChild?.querySelectorAll('input:not([type=hidden]), select') ?? []
  const shown = [...fields].filter((field) => field.checkVisibility())
  const first = shown.find(({ value }) => !value) ?? shown[0]
  const place = first?.tomselect ?? first
  place?.focus()
})

document.addEventListener('click', (event) => {
  const remove = event.target.closest('[data-row-remove]')
  const up = event.target.closest('[data-row-up]')
  const row = (remove ?? up)?.closest('.repeater-row')
  if (!row) return
  event.preventDefault()
  const repeater = row.closest('.repeater')
  repeater.dispatchEvent(new Event('input', { bubbles: true }))
  if (up) {
    row.previousElementSibling?.before(row)
    up.focus()
  } else {
    const next = row.nextElementSibling ?? row.previousElementSibling
    row.remove()
    const places = [next?.querySelector('[data-row-remove]'), ...repeater.querySelectorAll('[data-row-add], [type=file]')]
    places.find((place) => place?.checkVisibility({ visibilityProperty: true }))?.focus()
  }
})

// What is offered in place of rows goes as soon as there is something in one.
document.addEventListener('change', ({ target }) => {
  if (target.value) target.closest('.repeater-row')?.closest('.repeater').querySelector('[data-otherwise]')?.remove()
})
