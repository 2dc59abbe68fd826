const unit = { style: 'unit', unitDisplay: 'short', maximumFractionDigits: 1 }
const { fileLimit, fileTooLarge } = document.getElementById('messages').dataset

document.addEventListener('change', ({ target }) => {
  // Pictures show themselves.
  if (target.type !== 'file' || 'tooMany' in target.dataset || target.closest('[data-image-field]')) return
  const note = target.parentElement.querySelector('.chosen-file') ?? target.parentElement.appendChild(document.createElement('div'))
  note.className = 'chosen-file'
  note.replaceChildren(...[...target.files].map(describe))
  target.removeAttribute('aria-invalid')
  if (isTooLarge(target)) refuse(target, note)
})

function describe(file) {
  const row = document.createElement('span')
  const [size, name] = file.size < 1e6 ? [file.size / 1e3, 'kilobyte'] : [file.size / 1e6, 'megabyte']
  row.textContent = `${file.name} · ${new Intl.NumberFormat(document.documentElement.lang, { ...unit, unit: name }).format(size)}`
  if (file.type.startsWith('image/')) preview(file, row)
  return row
}

async function preview(file, row) {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return
  const canvas = document.createElement('canvas')
  canvas.height = 64
  canvas.width = Math.min(128, Math.round((64 * picture.width) / picture.height))
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
  row.prepend(canvas)
}

const isTooLarge = ({ files }) => [...(files ?? [])].some(({ size }) => size > fileLimit)

function refuse(input, note) {
  const problem = document.createElement('p')
  problem.className = 'field-error'
  problem.role = 'alert'
  problem.textContent = fileTooLarge.replace('%max%', fileLimit / 1024 ** 2)
  note.append(problem)
  input.setAttribute('aria-invalid', 'true')
}

// It would be sent in vain, with all that was typed beside it.
document.addEventListener(
  'submit',
  (event) => {
    const input = [...event.target.elements].find(isTooLarge)
    if (!input) return
    event.preventDefault()
    event.stopImmediatePropagation()
    input.focus()
  },
  { capture: true },
)
