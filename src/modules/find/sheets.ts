import { type AnyRule, allows } from '../../core/access.ts'
import { saysAll, tellingWords } from '../../core/says-all.ts'
import type { Context } from '../../http/request/context.ts'
import { importKinds } from '../../records/import/import.ts'
import { type AnyList, listPath } from '../../records/list/list.ts'

interface Sheet {
  path: string
  label: string
}

/** The imports and exports of lists that a query asks for; the name of a list alone asks for none. */
export function findSheets(context: Context, query: string): Sheet[] {
  const { server, actor, t } = context
  const kinds = importKinds(server).filter(({ rule }) => allows(rule, actor))
  const imported = kinds.map(({ deletion }) => deletion.list as AnyList)
  const listed = [...server.records.values()].flatMap(({ list }) => list ?? [])
  const exported = listed.filter(({ may }) => allows((may.export ?? may.list) as AnyRule, actor))
  return [
    ...sheetsOf(imported, 'Import', t('upload, load, Excel, spreadsheet'), '/import'),
    ...importsBesideLists(context, query),
    ...sheetsOf(exported, 'Export', t('download, Excel, spreadsheet'), '/export?format=xlsx'),
  ]

  function sheetsOf(lists: AnyList[], verb: string, says: string, address: string): Sheet[] {
    const named = [verb, t(verb), says]
    if (!tellingWords(query).some((word) => word.length > 2 && saysAll(named, word))) return []
    const meant = lists.filter(({ title }) => saysAll([...named, title, t(title)], query))
    return meant.map((list) => ({ path: listPath(list) + address, label: `${t(verb)}: ${t(list.title)}` }))
  }
}

/** What brings in something that is no list. */
function importsBesideLists({ server, actor, t }: Context, query: string): Sheet[] {
  const commands = server.registry.commands.filter(({ imports, rule }) => imports && (!rule || allows(rule, actor)))
  const meant =
    query.trim() === ''
      ? []
      : commands.filter(({ label, says = [] }) =>
          saysAll(
            [...label, ...says].flatMap((text) => [text, t(text)]),
            query,
          ),
        )
  return meant.map(({ path, label }) => ({ path, label: label.map((text) => t(text)).join(': ') }))
}
