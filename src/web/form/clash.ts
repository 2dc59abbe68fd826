import type { Translate } from '../i18n/translate.ts'
import type { Field } from './fields.ts'
import { type Entry, type Form, type FormPage, fieldsOf, type Row, type Values } from './form.ts'
import type { Clash } from './submit.ts'
import { valueInWords, viewForm } from './view.ts'

/** What a page with a form draws: the form, and after a clash both versions of each field that two people changed. */
export function drawForm(form: Form, page: FormPage, t: Translate, entry?: Entry, clash?: Clash, readOnly = false) {
  if (!clash) return { form: viewForm(form, page, t, entry, readOnly) }
  // The form shows what is stored now with this person's changes in it; saving it again means them.
  const resolved = { ...page, present: { ...page.present, ...asNewWhereGone(form, page, clash.merge.values) } }
  return { form: viewForm(form, resolved, t), clashes: viewClashes(form, page, t, clash) }
}

/** A row that somebody else deleted and this person went on with becomes a new one. */
function asNewWhereGone(form: Form, page: FormPage, values: Values): Values {
  const fresh = { ...values }
  for (const [name, field] of fieldsOf(form, page)) {
    if (field.key !== 'id' || !values[name]) continue
    const known = new Set(((page.present[name] ?? []) as Row[]).map(({ id }) => id))
    fresh[name] = (values[name] as Row[]).map(({ id, ...row }) => (known.has(id) ? { id, ...row } : row))
  }
  return fresh
}

function viewClashes(form: Form, page: FormPage, t: Translate, { merge, present, by }: Clash) {
  const fields = fieldsOf(form, page)
  return merge.clashes.map((name) => {
    const field = fields.get(name) as Field
    const inWords = (value: unknown) => valueInWords(name, field, value, page.choices, t)
    return { label: t(field.label), mine: inWords(merge.values[name]), theirs: inWords(present[name]), by: by[name] }
  })
}
