import type { Context } from '../../http/request/context.ts'
import type { FormInput } from '../../http/request/input.ts'
import { type FormState, inState, type RecordForm, unseenFields } from '../form/form.ts'
import type { Card, CardRecord } from './card.ts'
import { findTaken } from './taken.ts'

/**
 * How the form of a card stands for whoever asks: what they may not see is hidden, so that it is neither shown nor read. What another
 * record has already is told with all else that is wrong.
 */
export function formStateOf<R extends CardRecord, F extends RecordForm>(
  card: Pick<Card<R, F>, 'form' | 'formState' | 'shared'>,
  context: Context,
  record: R | undefined,
  input: FormInput,
): FormState {
  const state = card.formState(context, record, input)
  return {
    ...state,
    states: { ...state.states, ...inState('hidden', unseenFields(Object.entries(card.form.fields), context.actor)) },
    findProblems: (entry) => ({ ...findTaken(context, card, record, entry.values), ...state.findProblems?.(entry) }),
  }
}
