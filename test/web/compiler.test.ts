import nunjucks from 'nunjucks'
import t from 'tap'
import { compileTemplate } from '../../src/web/view/compiler.ts'

const parts: Record<string, string> = {
  'layout.njk': '<{% block head %}head{% endblock %}|{% block body %}body {{ title }}{% endblock %}>',
  'child.njk': '{% extends "layout.njk" %}{% block body %}{{ super() }} and {{ title }}{% set own = title + "!" %}{{ own }}{% endblock %}',
  'row.njk': '[{{ row.name }} {{ card }}{% if loop %} {{ loop.index }}{% endif %}]',
  'macros.njk':
    '{% macro hello(name, greeting="Hi") %}{{ greeting }} {{ name }}{{ title }}{% if caller %} {{ caller() }}{% endif %}{% endmacro %}',
  'broken.njk': 'x{{ nothing() }}',
  'setting.njk': '{% set card = "other" %}{{ card }}',
}

const templates: Record<string, string> = {
  values: '{{ text }}{{ number }}{{ nothing }}{{ none }}{{ yes }}{{ no }}{{ zero }}{{ list }}{{ markup }}{{ text | safe }}',
  members:
    '{{ row.name }}{{ row["name"] }}{{ row.absent.deeper }}{{ nothing.any }}{{ list[1] }}{{ list.length }}{{ row[key] }}{{ markup.length }}',
  methods: '{{ list.join("-") }}{{ text.slice(1) }}{{ row.whose() }}{{ known.has(2) }}{{ row.nested.list.indexOf("b") }}',
  loops:
    '{% for row in rows %}{{ loop.index }}{{ loop.last }}{{ row.name }}{% endfor %}{% for row in rows %}{{ row.name }}{% endfor %}{{ row.name }}',
  pairs:
    '{% for key, value in pairs %}{{ key }}={{ value }};{% endfor %}{% for a, b in listed %}{{ a }}{{ b }}{{ loop.index0 }}{% endfor %}',
  'nested loops':
    '{% for row in rows %}{% for item in list %}{{ loop.index }}{{ row.name }}{{ item }}{% endfor %}{{ loop.index }}{% endfor %}',
  'no rows': '{% for row in empty %}{% set title = row %}{% else %}none {{ title }}{% endfor %}',
  set: '{% set a = title %}{{ a }}{% set a = a + "!" %}{{ a }}{% set title = title + "?" %}{{ title }}',
  'set where there is a condition':
    '{% if no %}{% set title = "x" %}{% endif %}{{ title }}{% if yes %}{% set title = "y" %}{{ title }}{% endif %}{{ title }}',
  'set in a loop':
    '{% set last = "" %}{% for row in rows %}{% set name = row.name + "!" %}{{ name }}{% set last = name %}{% endfor %}{{ last }}{{ name }}',
  'set now and then':
    '{% for row in rows %}{% if row.name == "One" %}{% set found = row.name %}{% endif %}{{ found }};{% endfor %}{{ found }}',
  capture: '{% set all %}{% for item in list %}<{{ item }}>{% endfor %}{% endset %}{{ all | safe }}{{ all }}',
  'capture of a loop':
    '{% set all %}{% for item in list %}{{ loop.index }}{% set last = item %}{{ last }}{% endfor %}{% endset %}{{ all }}',
  'set in a capture': '{% set all %}{% set b = title %}{{ b }}{% endset %}{{ all }}{{ b }}',
  'set in a caller': '{% from "macros.njk" import hello %}{% call hello(title) %}{% set b = key %}{{ b }}{% endcall %}{{ b }}',
  include: '{% set card = "/c" %}{% for row in rows %}{% include "row.njk" %}{% include part %}{% endfor %}',
  'include that sets': '{% set card = "mine" %}{% include "setting.njk" %}{{ card }}',
  'include that fails': '{% include "broken.njk" %}',
  missing: '{% include "nowhere.njk" %}',
  extends: '{% extends "child.njk" %}{% block head %}{{ super() }}{{ text }}{% endblock %}',
  macros: '{% import "macros.njk" as kit %}{{ kit.hello(title) }}{{ kit.hello("b", greeting="Ho") }}{{ kit.hello("<", "c") }}',
  context: '{% from "macros.njk" import hello as say with context %}{{ say("x") }}{% call say("y") %}inside {{ title }}{% endcall %}',
  'own macro':
    '{% macro bar(value, of=10) %}{% for n in list %}{{ n }}{{ value }}{% endfor %}{{ of }}{{ title }}{% endmacro %}{{ bar(2) }}{{ bar(3, of=4) }}',
  conditions:
    '{{ "a" if row.name == "One" else title }}{{ title if no }}{% if "b" in list and not no or nothing %}in{% elif yes %}elif{% else %}else{% endif %}',
  switch: '{% switch row.name %}{% case "One" %}{% set title = 1 %}{% case "Two" %}2{% default %}3{% endswitch %}{{ title }}',
  filters: '{{ row.name | upper }}{{ list | first }}{{ nothing | default("d") }}{{ list | join(", ") }}{{ row.markup | upper }}',
  sums: '{{ number + 1 }}{{ number * 2 // 3 }}{{ -number }}{{ number ~ "<" }}{{ 7 % 4 }}{{ 2 ** 3 }}{{ nothing is defined }}{{ title is string }}',
  calls: '{{ greet("<b>") }}{{ globally(1) }}{{ greet(row.name) | safe }}',
  comparing: '{{ "same" if row.name == title else "other" }}{% if zero < number and text != key %}less{% endif %}',
  dictionaries:
    '{{ pairs[{ k: key, "one": title }.one] }}{% for k, v in { a: title, b: key } %}{{ k }}{{ v }}{% endfor %}{{ [title, key] | join }}',
  'a call of nothing': '{{ nothing() }}',
  'a call in nothing': '{{ row.absent.method() }}',
}

const { SafeString } = nunjucks.runtime
const context = () => ({
  text: `<"'&\`\\> ёж`,
  number: 5,
  none: null,
  yes: true,
  no: false,
  zero: 0,
  title: 'Title & more',
  list: ['a', 'b', '<c>'],
  listed: [
    [1, '<'],
    [2, '>'],
  ],
  pairs: { one: '1', two: '<2>' },
  empty: [],
  key: 'name',
  known: new Set([2]),
  markup: new SafeString('<b>'),
  part: 'row.njk',
  row: { name: 'Outer <row>', nested: { list: ['a', 'b'] }, whose: whose, markup: new SafeString('<i>') },
  rows: [{ name: 'One' }, { name: 'Two' }, { name: '<Three>' }],
  greet: (who: string) => `hello ${who}`,
})

function whose(this: { name: string }): string {
  return `of ${this.name}`
}

function drawing(source: (name: string) => unknown): nunjucks.Environment {
  const getSource = (name: string) => (parts[name] === undefined ? undefined : { src: source(name), path: name, noCache: false })
  const loader = Object.assign(new nunjucks.Loader(), { getSource }) as unknown as nunjucks.ILoader
  return new nunjucks.Environment(loader).addGlobal('globally', (value: number) => value + 1)
}

const plain = drawing((name) => parts[name])
const compiled = drawing((name) => ({ type: 'code', obj: compileTemplate(name, parts[name] as string) }))

function drawn(env: nunjucks.Environment): string {
  try {
    return env.render('page.njk', context())
  } catch (error) {
    return `error: ${/Unable to call `[^`]*`|template not found/.exec((error as Error).message)?.[0]}`
  }
}

for (const [name, source] of Object.entries(templates)) {
  t.test(`${name}: drawn as nunjucks draws it`, async (t) => {
    parts['page.njk'] = source
    for (const env of [plain, compiled]) (env as unknown as { loaders: [{ cache: object }] }).loaders[0].cache = {}
    const wanted = drawn(plain)
    t.not(wanted, '', 'something is drawn')
    t.not(wanted, 'error: undefined', 'and nothing fails but what is meant to')
    t.equal(drawn(compiled), wanted)
  })
}
