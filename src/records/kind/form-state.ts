import type { Context } from '../../http/request/context.ts'
import type { FormInput } from '../../http/request/input.ts'
import { type FormState, inState, type RecordForm, unseenFields } from '../form/form.ts'
import type { Card, CardRecord } from './card.ts'

/** How the form of a card stands for whoever asks: what they may not see is hidden, so that it is neither shown nor read. */
export function formStateOf<R extends CardRecord, F extends RecordForm>(
  { form, formState }: Pick<Card<R, F>, 'form' | 'formState'>,
  context: Context,
  record: R | undefined,
  input: FormInput,
): FormState {
  const state = formState(context, record, input)
  return { ...state, states: { ...state.states, ...inState('hidden', unseenFields(Object.entries(form.fields), context.actor)) } }
}
