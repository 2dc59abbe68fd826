import t from 'tap'
import { markWords, unseenTexts } from '../../src/view/found-words.ts'

t.test('words are marked in texts only, not within tags or what escapes a sign', async (t) => {
  const html = '<td title="amp ива"><a href="?q=ива">Иванов &amp; Co &#39;39&#39;</a></td>'
  const marked = '<td title="amp ива"><a href="?q=ива"><mark>Ива</mark>нов &amp; Co &#39;<mark>39</mark>&#39;</a></td>'
  t.equal(markWords(html, ['ива', 'amp', '39', 'td']), marked)
})

t.test('of what no cell shows only the texts are said that have it, a long one from shortly before it', async (t) => {
  const texts = [
    { label: 'Customer', text: 'Семён Иванов' },
    { label: 'Phone', text: '+7(912) 345 67 89' },
    { label: 'Address', text: `${'Ленинский проспект, '.repeat(10)}дом Семёнова` },
  ]
  const said = (cells: string[], words: string[]) => unseenTexts(cells, words, texts).map(({ label, pieces }) => [label, ...pieces])
  t.same(said(['<td>Альфа</td>'], ['альфа', 'иванов']), [['Customer', 'Семён ', 'Иванов', '']])
  t.same(said(['<td>Иванов</td>'], ['иванов']), [], 'nothing that a cell shows')
  t.same(said([], ['9123456789']), [['Phone', '+7(', '912) 345 67 89', '']])
  const address = '…пект, Ленинский проспект, дом '
  t.same(said([], ['семенов']), [['Address', address, 'Семёнов', 'а']])
})
