import IMask from 'imask/holder'
import 'imask/esm/masked/pattern'
import { enhance } from './enhance.js'

enhance('input[data-mask]', (input) => {
  if (/^(\+7\(\d{3}\) \d{3} \d{2} \d{2})?$/.test(input.value)) IMask(input, { mask: input.dataset.mask })
})
