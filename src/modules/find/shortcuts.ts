import type { FastifyReply, FastifyRequest } from 'fastify'
import { allows } from '../../core/access.ts'
import type { Context } from '../../http/request/context.ts'
import { template } from '../../http/request/template.ts'
import { findActions } from './actions.ts'
import { nameOfKeys } from './key-names.ts'
import { recentIds } from './records.ts'
import { sourcesFor } from './sources.ts'

interface Shortcut {
  /** One after the other; those that are held together are an array. */
  keys: (string | string[])[]
  action: string
  params?: { examples: string }
  /** What a page must have for it, as a selector. */
  needs?: string
  /** Works though single keys are switched off. */
  always?: true
}

interface ShortcutsPage {
  title: string
  sections: { title: string; shortcuts: (Omit<Shortcut, 'keys'> & { keys: string[] })[] }[]
  off: boolean
}

const shortcutsPage = template<ShortcutsPage>('find/shortcuts.njk')

const anywhere: Shortcut[] = [
  { keys: ['/'], action: 'Search the list, elsewhere everything' },
  { keys: ['↑', '↓'], action: 'Go through what was found, or through a menu', always: true },
  { keys: ['Enter'], action: 'Open the marked result', always: true },
  { keys: ['Esc'], action: 'Close a dialog or a menu, leave a field', always: true },
  { keys: [['Ctrl', 'Z']], action: 'Undo the action in the last message', always: true },
  { keys: ['?'], action: 'Show these shortcuts' },
]

/** That stand for an order or a payment. */
const rows = ':is(.board-card, .dashboard .order-line, [id^="orders-"] .row-link, [id^="payments-"] .row-link)'

const ofPages: Shortcut[] = [
  { keys: ['J', 'K'], action: 'Next row, previous row', needs: ':is(.list-table tbody tr, .dashboard .order-line)' },
  { keys: ['G', 'G'], action: 'First row', needs: '.list-table tbody tr' },
  { keys: [['Shift', 'G']], action: 'Last row', needs: '.list-table tbody tr' },
  { keys: ['J', 'K'], action: 'Next card, previous card', needs: '.board-card' },
  { keys: ['H', 'L'], action: 'Column to the left, to the right', needs: '.board-card' },
  { keys: ['←', '↑', '↓', '→'], action: 'Card beside it', needs: '.board-card' },
  { keys: ['J', 'K'], action: 'Next record, previous record', needs: '.page-header :is([rel="prev"], [rel="next"])' },
  { keys: ['Esc'], action: 'Back to the list', needs: '.page-header .back-link' },
  { keys: ['Enter'], action: 'Open the row', needs: ':is(.list-table .row-link, .board-card a, .dashboard .order-line)' },
  { keys: ['X'], action: 'Select the row', needs: '.list-table .row-select' },
  {
    keys: [
      ['Shift', 'J'],
      ['Shift', 'K'],
    ],
    action: 'Select the next row, too, or the previous one',
    needs: '.list-table .row-select',
  },
  { keys: ['↓'], action: 'From the search into the list; Esc leads there, too', needs: '.list-search' },
  { keys: ['F'], action: 'Filter the list', needs: '.list-filters :is(summary, [id$="-more-filters"])' },
  { keys: ['E'], action: 'Edit', needs: '[data-hotkey="e"], .row-actions .is-edit' },
  { keys: ['C'], action: 'Create', needs: '[data-hotkey="c"]' },
  {
    keys: [['Ctrl', 'Enter']],
    action: 'Save or send the form',
    needs: '#main form[method="post"] :is(.form-control, .form-select)',
    always: true,
  },
  {
    keys: ['.'],
    action: 'What can be done with the row, or with the selected ones',
    needs: `:is(${rows}, .bulk-bar [formaction][hx-get])`,
  },
  { keys: ['.'], action: 'What can be done here', needs: '#main [data-steps]' },
]

/** What the page has, which the browser knows: in the dialog it leaves out what the page behind it lacks. */
export function showShortcuts(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const off = !request.actor.key_shortcuts
  const sections = [
    { title: 'On this page', shortcuts: ofPages },
    { title: 'Everywhere', shortcuts: [search(request), ...anywhere] },
    { title: 'Go to', shortcuts: placesOf(request) },
  ].map(({ title, shortcuts }) => ({
    title,
    shortcuts: shortcuts
      .filter(({ always }) => always || !off)
      .map(({ keys, ...shortcut }) => ({ ...shortcut, keys: keys.map((key) => nameOfKeys(request, key)) })),
  }))
  return reply.page(shortcutsPage, {
    title: request.t('Keyboard shortcuts'),
    sections: sections.filter(({ shortcuts }) => shortcuts.length > 0),
    off,
  })
}

function search(context: Context): Shortcut {
  const examples = examplesFor(context).map((text) => context.t('"{text}"', { text: text.toLowerCase() }))
  const action = examples.length > 0 ? 'Search everything, or do something: {examples}' : 'Search everything'
  return { keys: [['Ctrl', 'K']], action, params: { examples: examples.join(', ') }, always: true }
}

/** What this person could do: a step of an order that they work on, and something new. */
function examplesFor(context: Context): string[] {
  const step = sourcesFor(context)
    .flatMap((source) => recentIds(context, source).map((id) => ({ id, act: source.acts?.(context, '', id)[0] })))
    .find(({ act }) => act)
  const form = findActions(context, '').hits[0]
  return [...(step?.act ? [`${step.id} ${step.act.name}`] : []), ...(form ? [form.name] : [])]
}

function placesOf({ server, actor }: Context): Shortcut[] {
  const places = server.registry.menu.flatMap(({ letter, label, rule }): Shortcut[] =>
    letter && (!rule || allows(rule, actor)) ? [{ keys: ['G', letter.toUpperCase()], action: label }] : [],
  )
  return [...places, { keys: ['G', 'W'], action: 'Waiting for you', needs: '#menu [data-letter="w"]' }]
}
