// Without this script the server crops the middle of the picture.
const sizeLimit = 10 * 1024 * 1024
// Scales camera pictures down, as they would make dragging slow.
const shownSide = 1200
const previewSide = 192
const largestZoom = 8
const template =
  '<cropper-canvas><cropper-image initial-fit="cover" translatable scalable></cropper-image><cropper-handle action="move" plain></cropper-handle></cropper-canvas>'
const moves = { ArrowLeft: [-16, 0], ArrowRight: [16, 0], ArrowUp: [0, -16], ArrowDown: [0, 16] }
const clamp = (value, least, most) => Math.max(least, Math.min(most, value))
const zooms = { '+': 0.1, '=': 0.1, '-': -0.1 }

document.addEventListener('change', (event) => {
  if (window.Cropper && event.target.matches('[data-image-field] input[type=file]')) choose(event.target)
})

async function choose(input) {
  const field = input.closest('[data-image-field]')
  const [file] = input.files
  forget(field)
  complain(input, '')
  if (!file) return
  const picture = file.size > sizeLimit ? undefined : await read(file)
  if (input.files[0] !== file) return
  if (picture) cut(field, picture)
  else {
    input.value = ''
    complain(input, file.size > sizeLimit ? input.dataset.tooLarge : input.dataset.unreadable)
  }
}

// Coordinates refer to the upright picture, as on the server.
async function read(file) {
  const bitmap = await createImageBitmap(file).catch(() => undefined)
  if (!bitmap) return undefined
  const { width, height } = bitmap
  const factor = Math.min(1, shownSide / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(width * factor)
  canvas.height = Math.ceil(height * factor)
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height)
  bitmap.close()
  return { canvas, width, height }
}

function cut(field, picture) {
  const dialog = field.querySelector('dialog')
  const stage = dialog.querySelector('[data-stage]')
  picture.canvas.alt = dialog.querySelector('h1').textContent
  dialog.showModal()
  const cropper = new Cropper.default(picture.canvas, { container: stage, template })
  const image = cropper.getCropperImage()
  let square
  image.$ready(() => image.addEventListener('transform', (event) => keepCovering(event, image, stage)))
  const closing = new AbortController()
  const on = (type, listener) => dialog.addEventListener(type, listener, { signal: closing.signal })
  on('click', async ({ target }) => {
    const button = target.closest('button')
    if (!button) return
    if (button.dataset.key) return press(button.dataset.key, image, stage)
    await image.$ready()
    if (button.matches('[data-accept]')) square = squareOf(image, stage, picture)
    dialog.close()
  })
  on('keydown', (event) => {
    if (press(event.key, image, stage)) event.preventDefault()
  })
  on('close', () => {
    closing.abort()
    if (square) accept(field, picture, square)
    else {
      field.querySelector('input[type=file]').value = ''
      forget(field)
    }
    stage.replaceChildren()
  })
}

function press(key, image, stage) {
  if (moves[key]) image.$move(...moves[key])
  else if (zooms[key]) {
    const shown = image.getBoundingClientRect()
    const frame = stage.getBoundingClientRect()
    image.$zoom(zooms[key], frame.x + frame.width / 2 - shown.x, frame.y + frame.height / 2 - shown.y)
  } else return false
  return true
}

function keepCovering(event, image, stage) {
  const [scale, , , , left, top] = event.detail.matrix
  const { offsetWidth: width, offsetHeight: height } = image
  const side = stage.clientWidth
  const least = side / Math.min(width, height)
  const limited = clamp(scale, least, least * largestZoom)
  const within = (shift, length) => clamp(shift, side - (length + length * limited) / 2, (length * limited - length) / 2)
  const matrix = [limited, 0, 0, limited, within(left, width), within(top, height)]
  if (matrix.every((value, at) => Math.abs(value - event.detail.matrix[at]) < 1e-9)) return
  event.preventDefault()
  image.$setTransform(matrix)
}

function squareOf(image, stage, { width, height }) {
  const shown = image.getBoundingClientRect()
  const frame = stage.getBoundingClientRect()
  const factor = width / shown.width
  const size = clamp(Math.round(frame.width * factor), 1, Math.min(width, height))
  const at = (distance, length) => clamp(Math.round(distance * factor), 0, length - size)
  return { x: at(frame.x - shown.x, width), y: at(frame.y - shown.y, height), size }
}

function accept(field, { canvas, width }, { x, y, size }) {
  const remove = field.querySelector('[data-image-remove]')
  if (remove) remove.checked = false
  field.querySelector('[data-image-crop]').value = [x, y, size].join()
  const factor = canvas.width / width
  const square = document.createElement('canvas')
  square.width = square.height = previewSide
  square.getContext('2d').drawImage(canvas, x * factor, y * factor, size * factor, size * factor, 0, 0, previewSide, previewSide)
  show(field, square.toDataURL())
}

function forget(field) {
  field.querySelector('[data-image-crop]').value = ''
  show(field, field.dataset.imageField)
}

function show(field, address) {
  const preview = field.querySelector('[data-image-preview]')
  if (address) preview.src = address
  preview.hidden = !address
  field.querySelector('[data-image-none]').hidden = Boolean(address)
}

function complain(input, text) {
  const place = document.getElementById(`${input.id}-error`) ?? document.createElement('p')
  Object.assign(place, { id: `${input.id}-error`, className: 'field-error', role: 'alert', textContent: text, hidden: !text })
  input.closest('.field').append(place)
  if (text) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
  input.setAttribute('aria-describedby', place.id)
}
