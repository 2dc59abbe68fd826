import type { Entry, Form } from '../form/form.ts'
import type { Conflict } from '../form/submit.ts'

export function findTabWithErrors(form: Form, asked: string | undefined, entry: Entry, conflict?: Conflict): string | undefined {
  const errors = Object.keys(entry.errors).map((id) => id.split('.')[0] as string)
  const concerned = [errors, conflict?.merge.conflicts ?? [], Object.keys(entry.rows)].find((names) => names.length > 0) ?? []
  const tabs = concerned.map((name) => form.groups.find(({ fields }) => Object.hasOwn(fields, name))?.tab)
  return tabs.length === 0 || tabs.includes(asked) ? asked : tabs[0]
}
