import type { Merge } from '../../core/merge.ts'
import type { Done } from '../../http/action.ts'
import type { Context } from '../../http/request/context.ts'
import { type Form, type FormState, fieldsOf, type Values } from './form.ts'

/** What was saved with what should be looked at: others changed more of it meanwhile, or something in it cannot be right. */
export function warned(context: Context, form: Form, { stored }: FormState, { values, othersFields }: Merge, done: Done): Done {
  if (!done.message) return done
  const [text, params, offered] = done.message
  const warnings = [...othersChanges(context, form, othersFields), ...newWarnings(context, form, stored, { ...stored, ...values })]
  return warnings.length > 0 ? { ...done, message: [text, params, { ...offered, warning: warnings.join(' ') }] } : done
}

function othersChanges({ t }: Context, form: Form, names: string[]): string[] {
  if (names.length === 0) return []
  const fields = fieldsOf(form, { mode: 'edit' })
  const labels = names.map((name) => t(fields.get(name)?.label ?? name)).join(', ')
  return [t('Someone else also updated: {fields}. Both sets of changes were kept.', { fields: labels })]
}

/** Of what was there before, one was told then. */
function newWarnings({ t }: Context, { warnings }: Form, before: Values, after: Values): string[] {
  if (!warnings) return []
  const [known, found] = [before, after].map((values) =>
    warnings.of(Object.fromEntries(warnings.fields.map((name) => [name, String(values[name] ?? '')]))),
  ) as [Record<string, string>, Record<string, string>]
  const texts = Object.entries(found).filter(([name, text]) => known[name] !== text || before[name] !== after[name])
  return [...new Set(texts.map(([, text]) => t(text)))]
}
