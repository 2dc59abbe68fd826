import type { SplitColumn } from '../../records/kind/registry.ts'

/** `7701234567/770101001`, as accounting programs write them. */
export const innAndKpp: SplitColumn = {
  label: 'INN/KPP',
  synonyms: ['ИНН/КПП', 'ИНН / КПП контрагента', 'ИНН и КПП', 'ИНН, КПП'],
  fields: ['inn', 'kpp'],
  split: (cell) =>
    cell
      .split(/[/\\,;]|\s+/)
      .map((part) => part.trim())
      .filter(Boolean),
}
