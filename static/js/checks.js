import { isWholePhone } from '../../src/core/phone.ts'
import { markWrong } from './mark-wrong.js'
import { kopecksOf } from './order-cost.js'

// What somebody typed is looked at when they leave the field; what the server takes is never called wrong.
const { wrongEmail, wrongPhone, wrongAmount, negativeAmount } = document.getElementById('messages').dataset

document.addEventListener('focusout', ({ target }) => {
  if (!target.matches('form[data-guard] input, .record-form input, dialog form input')) return
  const text = target.value.trim()
  if (text === '' || target.value === target.defaultValue) return
  if (target.type === 'tel' && !isWholePhone(text)) markWrong(target, wrongPhone)
  if ([target.type, target.inputMode].includes('email') && !addressesIn(text).every(isAddress)) markWrong(target, wrongEmail)
  if ('amount' in target.dataset && kopecksOf(text) === undefined) markWrong(target, /^[-−–]/.test(text) ? negativeAmount : wrongAmount)
})

const addressesIn = (text) => text.split(/[\s,;]+/).filter(Boolean)

const isAddress = (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
