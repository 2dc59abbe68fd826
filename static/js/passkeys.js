import { enhance } from './enhance.js'

const supported = 'parseCreationOptionsFromJSON' in (window.PublicKeyCredential ?? {})

enhance('[data-passkey]', (part) => {
  if (!supported || location.hostname !== part.dataset.relyingParty) return
  part.hidden = false
  part.closest('form').hidden = false
  part.querySelector('button').addEventListener('click', (event) => {
    event.preventDefault()
    usePasskey(part, event.currentTarget)
  })
})

async function usePasskey(part, button) {
  button.disabled = true
  showProblem(part, button.form)
  try {
    const fields = Object.fromEntries(new FormData(button.form))
    const options = await send(button.formAction, new URLSearchParams(fields))
    const credential = await askBrowser(part.dataset.passkey, options)
    const { location: next } = await send(part.dataset.answer, JSON.stringify({ ...fields, ...credential.toJSON() }), 'application/json')
    location.assign(next)
  } catch (problem) {
    button.disabled = false
    button.focus()
    showProblem(part, button.form, problem)
  }
}

function askBrowser(kind, options) {
  if (kind === 'create') return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
}

/** Errors that the server tells. */
class Refused extends Error {
  constructor({ message, errors }) {
    super(message)
    this.errors = errors
  }
}

async function send(address, body, type) {
  const response = await fetch(address, { method: 'POST', body, ...(type && { headers: { 'Content-Type': type } }) })
  if (response.redirected) {
    // To sign in or to confirm who one is; nothing else happens here until that page has loaded.
    location.assign(response.url)
    return new Promise(() => {})
  }
  const answer = await response.json()
  if (!response.ok) throw new Refused(answer)
  return answer
}

function showProblem(part, form, problem) {
  const [name, text] = Object.entries(problem?.errors ?? {})[0] ?? ['', problem && textOf(part, problem)]
  const message = part.querySelector('[role=alert]')
  message.id = name && `${name}-error`
  message.textContent = text ?? ''
  message.hidden = !text
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
  const field = name && form.elements[name]
  if (!field) return
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', message.id)
  field.focus()
}

function textOf({ dataset }, problem) {
  if (problem instanceof Refused) return problem.message
  return { NotAllowedError: dataset.canceled, InvalidStateError: dataset.known }[problem.name] ?? dataset.failed
}
