import type { FormConflicts } from '../form/conflict-view.ts'
import type { FormView } from '../form/view.ts'
import { type Page, type Part, page } from '../view/page.ts'
import type { tabLinks } from './tabs.ts'

/** What is around every tab of a card. */
export interface CardFrame {
  title: string
  list_name: string
  tabs?: ReturnType<typeof tabLinks>
  /** The way back to the list, for those who may see it. */
  mayList?: boolean
  back?: string
  listTitle?: string
  state?: { state: string; text: string }
  lastChange?: { at: number; actor_name: string; impersonator_name: string | null }
  /** Which scripts its form needs. */
  crops?: boolean
  writes?: boolean
  /** The card's own address: what is done to its record lies below it. */
  rowAddress?: string
  record?: object
}

export interface FormTab {
  form: FormView
  conflicts?: FormConflicts
  action: string
  previews?: boolean
  /** The template of what saving would change. */
  preview?: string
}

export const formCard = page<CardFrame & FormTab>('pages/card.njk')

/** What fills the panel of a card, its data loaded by itself but for what is around it. */
export function cardPart<Data extends object, Args extends unknown[]>(
  { template }: Page<Data>,
  load: (...args: Args) => NoInfer<Omit<Data, keyof CardFrame | keyof FormTab>>,
): Part<Args> {
  return { template, load }
}
