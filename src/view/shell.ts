import type { FastifyRequest } from 'fastify'
import type { Actor, AnyRule } from '../core/access.ts'
import type { Context } from '../http/request/context.ts'
import type { Fragment } from '../http/request/template.ts'

export const menuSections = ['Sales', 'People', 'Catalog', 'System'] as const

export interface MenuItem {
  path: string
  label: string
  icon: string
  section?: (typeof menuSections)[number]
  rule?: AnyRule
  may?: Record<string, AnyRule>
  also?: readonly string[]
  /** The letter that leads there after a G. */
  letter?: string
  /** Other words by which the search finds it. */
  says?: readonly string[]
  /** What waits for somebody there, and the address of exactly that. */
  waiting?: { count: (actor: Actor) => number; path: string }
  /** How much is new there, which asks nothing of anybody. */
  news?: { count: (actor: Actor) => number; label: string }
}

/** What the search leads to besides records, lists and their pages: a place, or something that is done at once. */
export interface Command {
  path: string
  /** What it is called; the first is where it belongs. */
  label: readonly [string, ...string[]]
  /** Other words by which it is found. */
  says?: readonly string[]
  rule?: AnyRule
  /** What is sent, where it is done at once. */
  sends?: Readonly<Record<string, string>>
  /** It imports, and is found beside the imports of lists. */
  imports?: true
}

/** What the module of saved views tells menu and lists. */
export interface SavedViews {
  menuViews: (
    context: Context,
    open: string,
  ) => (path: string) => {
    address?: string
    views: { name: string; href: string; current: boolean; count: string; waits: boolean }[]
  }
  findSavedView: (context: Context, list: string, query: string) => { id: number; name: string } | undefined
}

interface Widget extends Fragment<[FastifyRequest]> {
  rule: AnyRule
  /** What is `due` stands first, then what is `late` of others; nothing else says that nothing waits. What is done with stands `last`. */
  place?: 'above' | 'due' | 'late' | 'aside' | 'bottom' | 'last'
  /** The section of the menu whose waiting it lists, which then nothing else on the page counts. */
  lists?: string
}

/** What is next, and where that is, if not here. */
interface NextStep {
  text: string
  href: string | undefined
}

type TopbarPart = Fragment<[FastifyRequest]>

declare module 'fastify' {
  interface Registry {
    menu: MenuItem[]
    savedViews: SavedViews
    widgets: Widget[]
    topbar: TopbarPart[]
    commands: Command[]
    /** Where somebody goes on, on all pages but home. */
    followUps: ((request: FastifyRequest) => NextStep | undefined)[]
  }
}
