import fc from 'fast-check'
import t from 'tap'
import { bytesOf } from '../../src/web/view/bytes.ts'

const sameAsUtf8 = (text: string) => bytesOf(text).equals(Buffer.from(text))

t.test('a page is sent as UTF-8, whatever is in it', async () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 })
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), sameAsUtf8))
  fc.assert(fc.property(units, (codes) => sameAsUtf8(String.fromCharCode(...codes))))
})

t.test('however long it is', async (t) => {
  for (const length of [2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20]) t.ok(sameAsUtf8('ё'.repeat(length)), `${length} letters`)
})
