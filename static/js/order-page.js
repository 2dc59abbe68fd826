import { enhance } from './enhance.js'

document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-submit]')) target.form.requestSubmit()
})

enhance('.order-undo', (undo) => setTimeout(() => undo.remove(), Number(undo.dataset.time)))

const text = document.querySelector('[data-people]')
const suggestions = document.querySelector('.mention-suggestions')
let people

text?.addEventListener('input', async () => {
  const typed = typedName()
  if (typed === undefined) return void suggestions.replaceChildren()
  people ??= load().catch(() => undefined)
  const list = (await people)?.cloneNode(true)
  if (!list) return void (people = undefined)
  for (const item of list.querySelectorAll('li')) if (!begins(item, typed)) item.remove()
  suggestions.replaceChildren(list)
})

suggestions?.addEventListener('click', ({ target }) => {
  const { mention } = target.closest('[data-mention]')?.dataset ?? {}
  if (!mention) return
  text.setRangeText(`${mention} `, text.selectionStart - typedName().length, text.selectionStart, 'end')
  suggestions.replaceChildren()
  text.focus()
})

function typedName() {
  return /(?:^|[^\p{L}\p{N}._-])@([\p{L}-]*)$/u.exec(text.value.slice(0, text.selectionStart))?.[1]
}

function begins(item, typed) {
  return item.firstElementChild.dataset.mention.toLowerCase().startsWith(typed.toLowerCase())
}

async function load() {
  const answer = await fetch(text.dataset.people, { headers: { 'HX-Request': 'true' }, redirect: 'manual' })
  const holder = document.createElement('template')
  holder.innerHTML = answer.ok ? await answer.text() : '<ul></ul>'
  return holder.content.firstElementChild
}
