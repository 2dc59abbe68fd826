import type { Merge } from '../../core/merge.ts'
import type { Done } from '../../http/action.ts'
import type { Context } from '../../http/request/context.ts'
import { type Form, type FormState, fieldsOf, type Values } from './form.ts'

/** What was saved with what should be looked at: others changed more of it meanwhile, or something in it cannot be right. */
export function warned(context: Context, form: Form, { stored }: FormState, { values, othersFields }: Merge, done: Done): Done {
  if (!done.message) return done
  const [text, params, offered] = done.message
  const { t } = context
  const texts = new Set(Object.values(newWarnings(form, stored, values)).map((text) => t(text)))
  const warnings = [...othersChanges(context, form, othersFields), ...texts]
  return warnings.length > 0 ? { ...done, message: [text, params, { ...offered, warning: warnings.join(' ') }] } : done
}

function othersChanges({ t }: Context, form: Form, names: string[]): string[] {
  if (names.length === 0) return []
  const fields = fieldsOf(form, { mode: 'edit' })
  const labels = names.map((name) => t(fields.get(name)?.label ?? name)).join(', ')
  return [t('Someone else also updated: {fields}. Both sets of changes were kept.', { fields: labels })]
}

/** What values that are to be saved are warned of, by field; of what was there before, one was told then. */
export function newWarnings({ warnings }: Form, before: Values, values: Values): Record<string, string> {
  if (!warnings) return {}
  const after = { ...before, ...values }
  const [known, found] = [before, after].map((all) =>
    warnings.of(Object.fromEntries(warnings.fields.map((name) => [name, String(all[name] ?? '')]))),
  ) as [Record<string, string>, Record<string, string>]
  return Object.fromEntries(Object.entries(found).filter(([name, text]) => known[name] !== text || before[name] !== after[name]))
}
