import { enhance } from './enhance.js'

/** A button that copies what its attribute holds, and says so. */
enhance('[data-copy]', (button) => {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy).catch(() => copySelected(button))
    button.querySelector('[aria-live]').textContent = button.dataset.copied
  })
})

/** Without a secure connection pages cannot write to the clipboard, but what is selected can be copied. */
function copySelected(button) {
  const shown = button.closest('p').querySelector('input, code')
  if (shown instanceof HTMLInputElement) shown.select()
  else getSelection().selectAllChildren(shown)
  document.execCommand('copy')
}
