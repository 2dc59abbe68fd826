// Updates by server-sent events, and by polling where no stream arrives.
import { keep } from './not-sent.js'

const bell = document.getElementById('bell')
const panel = document.getElementById('bell-panel')
const silence = 45_000
let heardAt = Date.now()
let over = false
let shown = ''
let wasOpen = false

if (bell) {
  listen()
  poll()
  openOnClick()
}

function listen() {
  bell.addEventListener('unread', (event) => show(event.detail.data))
  bell.addEventListener('htmx:sse:after:message', () => {
    heardAt = Date.now()
  })
  // The session has expired: unsaved input stays, and the next click leads to the sign-in page.
  bell.addEventListener('end', () => {
    over = true
  })
  bell.addEventListener('htmx:before:response', (event) => {
    if (event.detail.ctx.response.status !== 401) return
    event.preventDefault()
    over = true
  })
}

function poll() {
  setInterval(() => {
    if (!document.hidden) refreshCount()
  }, silence)
  document.addEventListener('htmx:after:swap', refreshCount)
}

async function refreshCount() {
  if (over || Date.now() - heardAt < silence) return
  const answer = await fetch(bell.dataset.count, { redirect: 'manual' }).catch(() => undefined)
  if (answer?.ok) show(await answer.text())
}

// An unchanged number is not replaced, as screen readers would announce it again.
function show(html) {
  if (html === shown) return
  if (!shown || textOf(html) !== textOf(shown)) document.getElementById('bell-news').innerHTML = html
  if (shown && panel.matches(':popover-open')) refreshPanel()
  shown = html
}

function textOf(html) {
  const holder = document.createElement('template')
  holder.innerHTML = html
  return holder.content.textContent
}

function openOnClick() {
  bell.addEventListener('pointerdown', () => {
    wasOpen = panel.matches(':popover-open')
  })
  bell.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    if (wasOpen) panel.hidePopover()
    else openPanel()
    wasOpen = false
  })
  panel.addEventListener('toggle', ({ newState }) => bell.setAttribute('aria-expanded', newState === 'open'))
  panel.addEventListener('submit', async (event) => {
    event.preventDefault()
    const body = new URLSearchParams(new FormData(event.target))
    const answer = await fetch(event.target.action, { method: 'POST', body }).catch(() => undefined)
    if (answer) openPanel()
    else keep(event.target)
  })
}

async function openPanel() {
  const html = await loadPanel()
  if (html === undefined) return location.assign(bell.href)
  panel.innerHTML = html
  panel.showPopover()
  panel.focus()
}

// Whoever is going through it stays where they are.
async function refreshPanel() {
  const html = await loadPanel()
  if (html === undefined) return
  const href = panel.contains(document.activeElement) && document.activeElement.getAttribute('href')
  panel.innerHTML = html
  if (href !== false) ((href && panel.querySelector(`a[href="${CSS.escape(href)}"]`)) || panel).focus()
}

async function loadPanel() {
  const answer = await fetch(bell.dataset.panel, { headers: { 'HX-Request': 'true' } }).catch(() => undefined)
  return answer?.ok ? answer.text() : undefined
}

document.addEventListener('click', ({ target }) => {
  const row = target.closest('[data-read-by]')
  if (row && !target.closest('button, form'))
    navigator.sendBeacon(row.dataset.readBy, new URLSearchParams({ value: '1', order: panel.contains(row) ? '1' : '0' }))
})
