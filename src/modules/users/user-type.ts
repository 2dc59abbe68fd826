import type { FastifyRequest } from 'fastify'
import type { Group, Rule } from '../../core/access.ts'
import type { PolicyKey } from '../../core/policies.ts'
import type { Database } from '../../database/open.ts'
import type { Card, Tab } from '../../web/card/card.ts'
import type { FormPage } from '../../web/form/form.ts'
import type { FindRecord } from '../../web/http.ts'
import type { Deletion } from '../../web/list/deletion.ts'
import type { List } from '../../web/list/state.ts'
import type { NewUser, User, UserForm } from './accounts.ts'

// biome-ignore lint/suspicious/noExplicitAny: each kind judges its own facts about a person
type UserRule = Rule<any>

export interface UserType {
  name: 'admins' | 'dealers' | 'managers' | 'productions'
  group: Group
  icon: string
  title: string
  roleLabel: string
  addLabel: string
  newTitle: string
  created: string
  question: string
  done: string
  may: Record<'list' | 'view' | 'add' | 'edit' | 'switch' | 'delete', UserRule> & { rowEdit?: UserRule }
  form: UserForm
  choices?: (request: FastifyRequest, user?: User) => FormPage['choices']
  find: FindRecord<User>
  factsOf?: Deletion<User>['factsOf']
  list: (
    db: Database,
  ) => Pick<List<UserRow>, 'columns' | 'bulkActions' | 'filters' | 'searched' | 'sort' | 'find' | 'countQuery' | 'rows' | 'exports'>
  deletion?: Partial<Pick<Deletion<User>, 'asks' | 'before' | 'consequences'>>
  askFirst?: (request: FastifyRequest, user: User) => string | undefined
  menuOf?: Card<User>['menuOf']
  bulk: boolean
  initialValues?: (request: FastifyRequest) => Pick<NewUser, 'manager_id'>
  rightsPolicy?: PolicyKey
  tabs?: Tab<User>[]
  related?: Card<User>['related']
  keyFacts?: Card<User>['keyFacts']
}

declare module 'fastify' {
  interface FastifyInstance {
    userTypes: Map<number, UserType>
  }
}

export type UserRow = Pick<User, 'id' | 'group_id' | 'superadmin' | 'active' | 'lastname' | 'name'>
