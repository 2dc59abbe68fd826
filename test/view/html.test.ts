import t from 'tap'
import { attr, html, marked } from '../../src/view/html.ts'

t.test('HTML escapes values, not HTML, and leaves out what is missing', async (t) => {
  t.equal(String(html`<b title="${'"a" & \'b\''}">${'<i>'}</b>`), '<b title="&quot;a&quot; &amp; &#39;b&#39;">&lt;i&gt;</b>')
  t.equal(String(html`${html`<b>${'&'}</b>`}, ${0}${null}${undefined}${''}.`), '<b>&amp;</b>, 0.')
})

t.test('an attribute escapes its value, and is left out without one', async (t) => {
  t.equal(String(html`<p${attr('title', '"')}${attr('class', undefined)}>`), '<p title="&quot;">')
})

t.test('marks of a search escape what they stand in', async (t) => {
  t.equal(String(marked('<oak> & Oak', ['oak'])), '&lt;<mark>oak</mark>&gt; &amp; <mark>Oak</mark>')
  t.equal(marked('oak'), 'oak')
})
