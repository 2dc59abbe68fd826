import type { FastifyInstance } from 'fastify'
import { either, ignoringScope, type Rule } from '../../core/access.ts'
import type { Card } from '../../web/card/card.ts'
import type { FindChoices } from '../../web/form/choices.ts'
import type { Field, Form, Values } from '../../web/form/form.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import { findManagers } from '../companies/choices.ts'
import { references } from '../references/reference.ts'
import { noPassword } from '../users/accounts.ts'
import { findCompanies } from '../users/dealers/form.ts'

interface Source {
  list: string
  /** Fields by which rows can find their records, the best first. */
  keys: string[]
  /** Search functions for fields with too many choices to load. */
  finders?: Record<string, FindChoices>
  /** Values of new records that are not in the sheet. */
  initial?: Values
}

/** A list into which sheets can be imported. */
export interface Target extends Source {
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  card: Card<any>
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  deletion: Deletion<any>
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind
  rule: Rule<any>
}

const sources: Source[] = [
  { list: 'companies', keys: ['inn', 'org'], finders: { manager_id: findManagers } },
  { list: 'dealers', keys: ['email'], finders: { company_id: findCompanies }, initial: { password: noPassword } },
  ...references.map(({ name }) => ({ list: name, keys: ['name'] })),
]

export function importTargets({ cards, deletions }: FastifyInstance): Target[] {
  return sources.flatMap((source) => {
    const card = cards.find(({ list }) => list === source.list)
    const deletion = deletions.get(source.list)
    return card && deletion ? [{ ...source, card, deletion, rule: either(card.may.add, ignoringScope(card.may.edit)) }] : []
  })
}

const importedKinds: Field['kind'][] = ['text', 'paragraph', 'email', 'phone', 'number', 'date', 'choice', 'repeater']

/** Every field but files and passwords. */
export function importedFields({ fields }: Form): [string, Field][] {
  return (Object.entries(fields) as [string, Field][]).filter(([, { kind, key }]) => importedKinds.includes(kind) && key !== 'file')
}
