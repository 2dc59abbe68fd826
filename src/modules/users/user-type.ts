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

/** One of the four kinds of people: what sets it apart from the others. The actions are the same for all. */
export interface UserType extends AccountType {
  /** The name of its list. */
  name: 'admins' | 'dealers' | 'managers' | 'productions'
  /** Its routes, written out, so that they are found by searching for them. */
  paths: Record<'list' | 'add' | 'delete' | 'edit' | 'active', string> & { rights?: string }
  icon: string
  title: string
  /** What one of them is called. */
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
    /** The edit action of a row, where that is not the right to save the card. */
    rowEdit?: UserRule
  }
  form: UserForm
  /** What the form offers and locks for this person, beside the closed rules about people. */
  choices: (request: FastifyRequest, user?: User) => FormPage['choices']
  find: FindRecord<User>
  /** What the rules look at, for somebody in the bin, where that is more than their row. */
  factsOf?: Deletion<User>['factsOf']
  list: (db: Database) => Pick<List<UserRow>, 'columns' | 'sort' | 'joins' | 'find' | 'countQuery' | 'rows' | 'tools'>
  /** Rows can be deleted together. */
  bulk: boolean
  /** What a new one starts with besides what was typed. */
  initialValues?: (request: FastifyRequest) => Pick<NewUser, 'manager_id'>
  /** The policy that opens the tab Rights; without it there is none. */
  rightsPolicy?: PolicyKey
  /** The tabs of its own. */
  tabs?: Tab<User>[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The four kinds of people by their group. */
    userTypes: Map<number, UserType>
  }
}

/** What every list of people loads. */
export interface UserRow {
  id: number
  group_id: number
  superadmin: boolean
  active: boolean
  lastname: string
  name: string
  middlename: string | null
}
