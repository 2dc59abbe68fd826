import { findDenial, type Rule } from '../../core/access.ts'
import { HttpError } from '../request/errors.ts'
import type { Person } from '../request/person.ts'

export class Forbidden extends HttpError {
  readonly denial: NonNullable<ReturnType<typeof findDenial>>
  constructor(denial: NonNullable<ReturnType<typeof findDenial>>) {
    super(403, "You don't have access.")
    this.denial = denial
  }
}

/** @throws Forbidden where somebody may not, or not with this record */
export function authorize<R>(rule: Rule<R>, actor: Person, ...record: [R?]): void {
  const denial = findDenial(rule, actor, ...record)
  if (denial) throw new Forbidden(denial as NonNullable<ReturnType<typeof findDenial>>)
}
