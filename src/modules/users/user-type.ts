import type { FastifyRequest } from 'fastify'
import type { Rule } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import type { Database } from '../../database/open.ts'
import type { Tab } from '../../web/card/tabs.ts'
import type { FormPage } from '../../web/form/form.ts'
import type { FindRecord } from '../../web/http.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import type { AccountType, NewUser, User, UserForm } from './accounts.ts'

// biome-ignore lint/suspicious/noExplicitAny: each kind judges its own facts about a person
type UserRule = Rule<any>

/** What distinguishes one of the four user types; the actions are the same for all. */
export interface UserType extends AccountType {
  name: 'admins' | 'dealers' | 'managers' | 'productions'
  /** Written out, so that a search for a path finds them. */
  paths: Record<'list' | 'add' | 'delete' | 'edit' | 'active', string> & { rights?: string }
  icon: string
  title: string
  roleLabel: string
  addLabel: string
  newTitle: string
  created: string
  question: string
  done: string
  may: {
    list: UserRule
    view: UserRule
    add: UserRule
    /** Saving the card. */
    edit: UserRule
    /** The switch in the list. */
    switch: UserRule
    delete: UserRule
    /** The edit action of a row, where it differs from `edit`. */
    rowEdit?: UserRule
  }
  form: UserForm
  /** Choices and locked fields of the form for this person, besides the fixed rules. */
  choices: (request: FastifyRequest, user?: User) => FormPage['choices']
  find: FindRecord<User>
  /** Loads what the rules need for a deleted user when that is more than their row. */
  factsOf?: Deletion<User>['factsOf']
  list: (db: Database) => Pick<List<UserRow>, 'columns' | 'sort' | 'joins' | 'find' | 'countQuery' | 'rows' | 'tools'>
  bulk: boolean
  /** Values of a new user besides the submitted ones. */
  initialValues?: (request: FastifyRequest) => Pick<NewUser, 'manager_id'>
  /** The policy that opens the tab Rights; without it there is none. */
  rightsPolicy?: PolicyKey
  tabs?: Tab<User>[]
}

declare module 'fastify' {
  interface FastifyInstance {
    userTypes: Map<number, UserType>
  }
}

export interface UserRow {
  id: number
  group_id: number
  superadmin: boolean
  active: boolean
  lastname: string
  name: string
  middlename: string | null
}
