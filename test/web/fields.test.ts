import t from 'tap'
import { paragraph, phone, text } from '../../src/web/form/fields.ts'

const refused = { message: 'Remove unsupported characters.' }

/** Letters of no shape that part lines or steer terminals. */
const controls = '\u0000 \u0008 \u000b \u000c \u001b \u007f \u0080 \u0085 \u009b \u009f \u2028 \u2029'
/** And that turn the direction of others. */
const turns = '\u061c \u200e \u200f \u202a \u202b \u202c \u202d \u202e \u2066 \u2067 \u2068 \u2069'

t.test('invisible and direction-changing characters in a text field are refused or removed', async (t) => {
  const fields = [text('Name'), phone('Phone'), paragraph('Comment', { max: 2000 })]
  for (const { label, parse } of fields) {
    for (const control of controls.split(' '))
      t.throws(() => parse(`Alpha ${control}Ltd`), refused, `${label}: ${control.codePointAt(0)?.toString(16)}`)
    for (const turn of turns.split(' '))
      t.equal(parse(`${turn}Alpha ${turn}Ltd`), 'Alpha Ltd', `${label}: ${turn.codePointAt(0)?.toString(16)} goes`)
    for (const kept of ['👨‍👩‍👧 می‌خواهم', 'שלום, عالم', 'Ёлка\u00a0— №\u00a01', 'ﬁ\u00ad\u200bx']) t.equal(parse(kept), kept)
  }
})

t.test('only multi-line fields accept line breaks and tabs', async (t) => {
  for (const part of ['\n', '\r', '\r\n', '\t']) t.throws(() => text('Name').parse(`a${part}b`), refused)
  t.equal(paragraph('Comment', { max: 9 }).parse('a\r\nb\rc\td\n'), 'a\nb\nc\td')
})
