import type { FormConflicts } from '../form/conflict-view.ts'
import type { FormView } from '../form/view.ts'
import { type Page, type Part, page } from '../http.ts'
import type { ListRegion } from '../list/send-list.ts'
import type { Fact, MenuLink, RecordState } from './card.ts'
import type { tabLinks } from './tabs.ts'

export interface CardFrame {
  title: string
  list_name: string
  tabs?: ReturnType<typeof tabLinks>
  mayList?: boolean
  back?: string
  listTitle?: string
  state?: RecordState
  facts?: Fact[]
  menuLinks?: MenuLink[]
  deletion?: string
  lastChange?: { at: number; actor_name: string; impersonator_name: string | null }
  crops?: boolean
  writes?: boolean
  rowAddress?: string
  record?: object
}

export interface FormTab {
  form: FormView
  conflicts?: FormConflicts
  action: string
  previews?: boolean
  preview?: string
}

export const listTab = page<CardFrame & ListRegion>('pages/list-tab.njk')

export const formCard = page<CardFrame & FormTab>('pages/card.njk')

export function cardPart<Data extends object, Args extends unknown[]>(
  { template }: Page<Data>,
  load: (...args: Args) => NoInfer<Omit<Data, keyof CardFrame | keyof FormTab>>,
): Part<Args> {
  return { template, load }
}
