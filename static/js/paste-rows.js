// Cells copied from a spreadsheet fill rows from the field on that they are pasted into; rows that lack are added.
const limit = 200

document.addEventListener(
  'paste',
  (event) => {
    const repeater = event.target.closest?.('[data-pastes]')
    const cells = repeater ? readCells(event.clipboardData.getData('text/plain')) : []
    if (cells.length < 2 && !(cells[0]?.length > 1)) return
    event.preventDefault()
    event.stopPropagation()
    fill(repeater, event.target, cells)
  },
  { capture: true },
)

/** Cells part at tabs, rows at line breaks; what holds either is quoted. */
function readCells(text) {
  const rows = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/g)) {
    rows.at(-1).push((quoted?.replaceAll('""', '"') ?? plain).trim())
    if (!end) break
    if (end !== '\t') rows.push([])
  }
  return rows.filter((row) => row.some(Boolean))
}

async function fill(repeater, target, cells) {
  const list = repeater.querySelector('.repeater-rows')
  const first = target.closest('.repeater-row')
  const start = first ? [...list.children].indexOf(first) : list.children.length
  const column = first ? Math.max(0, fieldsOf(first).indexOf(target.closest('.field'))) : 0
  const state = repeater.querySelector('[data-pasted]')
  if (start + cells.length > limit) return void (state.textContent = state.dataset.many)
  await addRows(repeater, list, start + cells.length - list.children.length)
  const choices = new Map()
  const missing = []
  for (const [at, texts] of cells.entries()) missing.push(...(await fillRow(list.children[start + at], texts, column, choices)))
  const done = [`${state.dataset.filled}: ${cells.length}`, missing.length > 0 && `${state.dataset.missing}: ${missing.join(', ')}`]
  state.textContent = done.filter(Boolean).join('. ')
}

const fieldsOf = (row) => [...row.querySelectorAll('.field')]

/** One that the server renders is the pattern of all. */
async function addRows(repeater, list, count) {
  const add = repeater.querySelector('[data-row-add]')
  const answer = count > 0 && (await fetch(`${add.getAttribute('hx-get')}?index=9999&rows=0`, { headers: { 'HX-Request': 'true' } }))
  if (!answer?.ok) return
  const pattern = await answer.text()
  const next = Math.max(-1, ...[...list.children].map((row) => Number(row.dataset.index))) + 1
  for (let index = next; index < next + count; index++) list.insertAdjacentHTML('beforeend', numbered(pattern, add.value, index))
  await Promise.all([...list.querySelectorAll('script')].map(({ src }) => import(src)))
  document.dispatchEvent(new CustomEvent('htmx:after:swap'))
}

function numbered(pattern, name, index) {
  const places = [`${name}[9999]`, `${name}.9999`, 'data-index="9999"']
  return places.reduce((html, place) => html.replaceAll(place, place.replace('9999', index)), pattern)
}

/** @returns what is no choice */
async function fillRow(row, texts, column, choices) {
  const fields = fieldsOf(row).slice(column)
  const missing = []
  for (const [at, text] of texts.slice(0, fields.length).entries()) {
    const input = fields[at].querySelector('select') ?? fields[at].querySelector('input:not([type=hidden], [type=search])')
    if (!input) continue
    const value = input.matches('select') ? await choose(input, text, choices) : text
    if (value === undefined) missing.push(text)
    else set(input, value)
  }
  return missing
}

function set(input, value) {
  if (input.tomselect) input.tomselect.setValue(value)
  else input.value = value
  for (const type of ['input', 'change']) input.dispatchEvent(new Event(type, { bubbles: true }))
}

/** The option that a cell names by its whole text, by what it begins with, such as an article, or by what follows that. */
async function choose(select, text, choices) {
  if (!text) return ''
  const options = await search(select, text, choices)
  const fits = [(name, cell) => name === cell, (name, cell) => name.startsWith(`${cell} `), (name, cell) => name.endsWith(` ${cell}`)]
  for (const fit of fits) {
    const [one, another] = options.filter((option) => fit(fold(option.text), fold(text)))
    if (!one || another) continue
    select.tomselect?.addOption(one)
    return one.value
  }
  return undefined
}

const fold = (text) => text.toLowerCase().replace(/\s+/g, ' ').trim()

async function search(select, text, choices) {
  const source = select.dataset.searchable
  if (!source) return [...select.options].map(({ value, text }) => ({ value, text }))
  const address = `${source}&${new URLSearchParams({ q: text.slice(0, 200) })}`
  if (!choices.has(address)) choices.set(address, await load(address))
  return choices.get(address)
}

async function load(address) {
  const answer = await fetch(address, { headers: { 'HX-Request': 'true' } }).catch(() => undefined)
  if (!answer?.ok) return []
  const found = new DOMParser().parseFromString(`<select>${await answer.text()}</select>`, 'text/html')
  return [...found.querySelectorAll('option')].map(({ value, textContent }) => ({ value, text: textContent }))
}
