import type { Translate } from '../i18n/translate.ts'
import type { Field } from './fields.ts'
import { type Entry, type Form, fieldsOf } from './form.ts'
import type { FormPage } from './read.ts'

/** What `components/form.njk` draws: the groups with each field's value, error and choices. */
export function viewForm(form: Form, page: FormPage, t: Translate, entry?: Entry, readOnly = false) {
  const shown = fieldsOf(form, page.mode)
  const groups = form.groups.map(({ title, fields }) => ({
    title: t(title),
    fields: Object.entries(fields)
      .filter(([name, field]) => shown.has(name) && !(readOnly && field.kind === 'password'))
      .map(([name, field]) => viewField(name, field, page, t, entry, readOnly)),
  }))
  return {
    groups: groups.filter((group) => group.fields.length > 0),
    readOnly,
    errors: entry ? Object.keys(entry.errors).length : 0,
    version: page.present.version,
  }
}

const inputTypes: Partial<Record<Field['kind'], string>> = {
  text: 'text',
  number: 'text',
  email: 'email',
  phone: 'tel',
  password: 'password',
  date: 'date',
}

function viewField(name: string, field: Field, page: FormPage, t: Translate, entry: Entry | undefined, readOnly: boolean) {
  const value = entry?.typed[name] ?? field.show(page.present[name])
  const error = entry?.errors[name]
  const { kind, max, autocomplete } = field
  return {
    name,
    kind,
    type: inputTypes[kind],
    max,
    autocomplete,
    value: kind === 'password' ? '' : value,
    label: t(field.label),
    hint: field.hint && t(field.hint),
    required: field.required && !(kind === 'password' && page.mode === 'edit'),
    disabled: readOnly || page.locked?.has(name) === true,
    error: error && t(error.message, error.params),
    described: [error && `${name}-error`, field.hint && `${name}-hint`].filter(Boolean).join(' '),
    options: (page.choices[name] ?? []).map((option) => ({ ...option, selected: String(option.id) === value })),
  }
}
