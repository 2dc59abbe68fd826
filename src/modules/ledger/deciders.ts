import type { Rule } from '../../core/access.ts'
import { fullName } from '../../core/text.ts'
import { permittedPeople } from '../../http/access/permitted-people.ts'
import type { Context } from '../../http/request/context.ts'

const named = 2

/** Who can confirm what was reported, in a few words; undefined where nobody can. */
export function describeDeciders<R>({ server, t }: Context, rule: Rule<R>, record: R): string | undefined {
  const people = permittedPeople(server.db, rule, record).slice(0, named)
  const names = people.map(({ lastname, name }) => fullName({ lastname, name }))
  return names.length > 0 ? t('Payment can be confirmed by: {names}', { names: names.join(', ') }) : undefined
}
