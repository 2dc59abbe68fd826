// Uploads pictures before the form is sent. Without this script they are plain inputs.
import { enhance } from './enhance.js'

enhance('[data-pictures]', collect)

const sizeLimit = 10 * 1024 * 1024

function collect(box) {
  const input = box.querySelector('input[type=file]')
  if (!input) return
  input.addEventListener('change', async () => {
    const files = [...input.files]
    input.value = ''
    for (const file of files) await send(box, input, file)
  })
  box.addEventListener('click', ({ target }) => {
    const row = target.closest('[data-picture-edit]')?.closest('[data-picture]')
    if (row) cut(box, input, row)
  })
}

async function send(box, input, file, replaced) {
  const list = box.querySelector('.picture-rows')
  const row = document.createElement('li')
  row.className = 'repeater-row picture-row'
  row.dataset.index = nextIndex(list)
  const text = document.createElement('p')
  const bar = document.createElement('progress')
  text.textContent = input.dataset.sending.replace('%name%', () => file.name)
  bar.max = 1
  bar.value = 0
  bar.setAttribute('aria-label', text.textContent)
  row.append(text, bar)
  if (replaced) replaced.after(row)
  else list.append(row)
  const full = list.querySelectorAll('[data-picture]').length >= Number(input.dataset.max) && !replaced
  const problem = full ? input.dataset.tooMany : file.size > sizeLimit ? input.dataset.tooLarge : undefined
  const answer = problem ? { problem } : await post(`${box.dataset.pictures}?index=${row.dataset.index}`, file, bar)
  if (answer.problem) {
    complain(box, input, row, `${file.name}: ${answer.problem}`)
    return
  }
  const made = document.createElement('template')
  made.innerHTML = answer.html
  const [placed] = made.content.children
  row.replaceWith(placed)
  replaced?.remove()
  list.dispatchEvent(new Event('input', { bubbles: true }))
  return placed
}

function nextIndex(list) {
  return Math.max(-1, ...[...list.children].map((row) => Number(row.dataset.index))) + 1
}

function post(address, file, bar) {
  const body = new FormData()
  body.append('images[file]', file)
  const request = new XMLHttpRequest()
  request.open('POST', address)
  request.setRequestHeader('HX-Request', 'true')
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = loaded / total
  })
  return new Promise((resolve) => {
    request.addEventListener('loadend', () => {
      if (request.status === 200) return resolve({ html: request.responseText })
      const said = new DOMParser().parseFromString(request.responseText, 'text/html').querySelector('[role=alert]')
      resolve({ problem: said?.textContent.trim() || document.querySelector('[data-pictures] input[type=file]').dataset.failed })
    })
    request.send(body)
  })
}

function complain(box, input, row, text) {
  const message = document.createElement('p')
  message.className = 'field-error'
  message.textContent = text
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'btn btn-sm'
  button.textContent = input.dataset.remove
  button.addEventListener('click', () => {
    row.remove()
    input.focus()
  })
  row.replaceChildren(message, button)
  box.querySelector('[data-pictures-said]').textContent = text
}

function cut(box, input, row) {
  const dialog = box.parentElement.querySelector('[data-picture-dialog]')
  const stage = dialog.querySelector('[data-stage]')
  const image = new Image()
  image.src = row.dataset.picture
  image.alt = dialog.querySelector('h1').textContent
  dialog.showModal()
  const cropper = new Cropper.default(image, { container: stage })
  const shown = cropper.getCropperImage()
  const selection = cropper.getCropperSelection()
  shown.$ready(() => frame(stage, shown, selection))
  selection.addEventListener('change', (event) => {
    if (!lies(event.detail, boundsOf(stage, shown))) event.preventDefault()
  })
  const turn = (angle) => {
    shown.$rotate(angle)
    frame(stage, shown, selection)
  }
  const tools = {
    left: () => turn('-90deg'),
    right: () => turn('90deg'),
    smaller: () => resize(selection, 0.9, boundsOf(stage, shown)),
    larger: () => resize(selection, 1 / 0.9, boundsOf(stage, shown)),
  }
  const moves = { ArrowLeft: [-8, 0], ArrowRight: [8, 0], ArrowUp: [0, -8], ArrowDown: [0, 8] }
  const closing = new AbortController()
  dialog.addEventListener(
    'click',
    async ({ target }) => {
      const button = target.closest('button')
      if (!button) return
      tools[button.dataset.tool]?.()
      if (button.dataset.tool) return
      // A second click changes nothing.
      closing.abort()
      const placed = button.matches('[data-accept]') ? await accept(box, input, row, shown, selection) : undefined
      dialog.close()
      placed?.querySelector('[data-picture-edit]').focus()
    },
    { signal: closing.signal },
  )
  dialog.addEventListener(
    'keydown',
    (event) => {
      if (!moves[event.key]) return
      event.preventDefault()
      selection.$move(...moves[event.key])
    },
    { signal: closing.signal },
  )
  dialog.addEventListener(
    'close',
    () => {
      closing.abort()
      stage.replaceChildren()
    },
    { once: true },
  )
}

function frame(stage, shown, selection) {
  shown.$center('contain')
  const { x, y, width, height } = boundsOf(stage, shown)
  selection.$change(x, y, width, height)
}

function boundsOf(stage, shown) {
  const [outer, inner] = [stage.getBoundingClientRect(), shown.getBoundingClientRect()]
  return { x: inner.x - outer.x, y: inner.y - outer.y, width: inner.width, height: inner.height }
}

const lies = (part, whole) =>
  part.x >= whole.x - 1 &&
  part.y >= whole.y - 1 &&
  part.x + part.width <= whole.x + whole.width + 1 &&
  part.y + part.height <= whole.y + whole.height + 1

function resize(selection, factor, whole) {
  const width = Math.max(16, Math.min(selection.width * factor, whole.width))
  const height = Math.max(16, Math.min(selection.height * factor, whole.height))
  const within = (start, length, least, most) => Math.max(least, Math.min(start, least + most - length))
  const x = within(selection.x + (selection.width - width) / 2, width, whole.x, whole.width)
  const y = within(selection.y + (selection.height - height) / 2, height, whole.y, whole.height)
  selection.$change(x, y, width, height)
}

async function accept(box, input, row, shown, selection) {
  await shown.$ready()
  const [a, b] = shown.$getTransform()
  const factor = 1 / Math.hypot(a, b)
  const canvas = await selection.$toCanvas({ width: Math.round(selection.width * factor), height: Math.round(selection.height * factor) })
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
  return send(box, input, new File([blob], 'picture.webp', { type: blob.type }), row)
}
