import type { AnyRule, Group } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import type { ChangedFields, Database, users } from '../../database/index.ts'
import type { Context } from '../../http/request/context.ts'
import type { FormInput } from '../../http/request/input.ts'
import type { FieldOf } from '../../records/fields/index.ts'
import type { Form, FormState } from '../../records/form/form.ts'
import type { Card, Head } from '../../records/kind/card.ts'
import type { ImportPart } from '../../records/kind/registry.ts'
import type { AnyResource } from '../../records/kind/resource.ts'
import type { Deletion } from '../../records/list/deletion.ts'
import type { List } from '../../records/list/list.ts'
import type { NewUser } from './accounts.ts'
import type { CompanyChange } from './dealers/change-company.ts'
import type { User } from './user.ts'

export type UserForm = { table: typeof users } & Form<{
  lastname: FieldOf<string | null, true>
  name: FieldOf<string | null, true>
  middlename: FieldOf<string | null>
  email: FieldOf<string | null, true>
  password: FieldOf<string | null, true>
  invite: FieldOf<boolean>
  permission_set?: FieldOf<number | null>
  active?: FieldOf<boolean>
  superadmin?: FieldOf<boolean>
  discount_limit?: FieldOf<number | null>
  company_id?: FieldOf<number | null>
  orders?: FieldOf<'move' | 'stay' | null>
}>

export interface UserType
  extends Pick<Card<User, UserForm>, 'form' | 'find' | 'panel' | 'tabs' | 'related' | 'overview'>,
    Pick<Head<User>, 'facts' | 'menu'>,
    Pick<Deletion<User>, 'question' | 'done' | 'factsOf'> {
  name: 'admins' | 'dealers' | 'managers' | 'productions'
  group: Group
  icon: string
  letter: string
  title: string
  roleLabel: string
  addLabel: string
  newTitle: string
  created: string
  may: Record<'list' | 'view' | 'add' | 'edit' | 'switch' | 'delete', AnyRule> & { rowEdit?: AnyRule }
  choices?: (context: Context, user: User | undefined, input: FormInput) => FormState['choices']
  /** What the form of a new person starts with, as its address says. */
  suggested?: (context: Context, input: FormInput) => FormState['stored']
  /** What of a person the next one has, too, for `suggested`. */
  again?: (user: User) => Record<string, string>
  list: (db: Database) => Pick<List<UserRow>, 'columns' | 'filters' | 'searchHint' | 'sort' | 'find' | 'rows' | 'sheet'>
  deletion?: Partial<Pick<Deletion<User>, 'asks' | 'before' | 'consequences'>>
  askFirst?: (context: Context, user: User) => string | undefined
  single?: boolean
  /** What the page of a form shows besides its choices. */
  formState?: (context: Context, user: User) => Pick<FormState, 'states' | 'hints'>
  /** Sees to what a change takes along, before it is saved. Returns what the history says of it. */
  beforeSave?: (context: Context, user: User, values: CompanyChange) => ChangedFields
  initialValues?: (context: Context, values: object) => Pick<NewUser, 'manager_id'>
  rightsPolicy?: PolicyKey
  imports?: ImportPart
  api?: AnyResource
}

declare module 'fastify' {
  interface Registry {
    userTypes: Map<number, UserType>
  }
}

export type UserRow = Pick<User, 'id' | 'group_id' | 'superadmin' | 'active' | 'lastname' | 'name'>
