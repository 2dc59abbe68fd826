import { group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import type { UserType } from '../user-type.ts'
import { may } from './access.ts'
import { dealerFacts, findDealer } from './dealer.ts'
import { companyChoices, dealerForm } from './form.ts'
import { dealerListOptions } from './list.ts'

export const dealerType: UserType = {
  name: 'dealers',
  paths: {
    list: '/dealers',
    add: '/dealers/add',
    delete: '/dealers/delete',
    edit: '/dealers/edit/:id',
    active: '/dealers/:id/active',
  },
  group: group.dealer,
  icon: 'users',
  title: groupNames[group.dealer],
  roleLabel: 'Dealer',
  addLabel: 'Add dealer',
  newTitle: 'New dealer',
  created: 'Dealer added',
  question: 'Delete {count} dealers?',
  done: '{count} dealers deleted',
  may,
  form: dealerForm,
  choices: (request, dealer) => ({ company_id: companyChoices(request, dealer?.company_id) }),
  find: findDealer,
  factsOf: dealerFacts,
  list: dealerListOptions,
  bulk: true,
  emailUnique: true,
  initialValues: ({ actor }) => ({ manager_id: actor.id }),
}
