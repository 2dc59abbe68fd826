import type { FastifyRequest } from 'fastify'
import { allows, group } from '../../../core/access.ts'
import { groupNames } from '../../../core/labels.ts'
import { fullName } from '../../../core/text.ts'
import type { Fact } from '../../../web/card/card.ts'
import { may as companyMay } from '../../companies/access.ts'
import { findCompany } from '../../companies/company.ts'
import { findUserInGroup, type User, type UserType } from '../accounts.ts'
import { dealerFacts, findDealer, may } from './access.ts'
import { companyChoices, dealerForm } from './form.ts'
import { dealerListOptions } from './list.ts'

export const dealerType: UserType = {
  name: 'dealers',
  group: group.dealer,
  icon: 'users',
  title: groupNames[group.dealer],
  roleLabel: 'Dealer',
  addLabel: 'Add dealer',
  newTitle: 'New dealer',
  created: 'Dealer {name} added',
  question: 'Delete {count} dealers?',
  done: '{count} dealers deleted',
  may,
  form: dealerForm,
  choices: (request, dealer) => ({ company_id: companyChoices(request, dealer?.company_id) }),
  find: findDealer,
  factsOf: dealerFacts,
  list: dealerListOptions,
  related: [['orders', 'dealer']],
  keyFacts: describeDealer,
  bulk: true,
  initialValues: ({ actor }) => ({ manager_id: actor.id }),
}

function describeDealer({ server: { db }, actor }: FastifyRequest, dealer: User): Fact[] {
  const company = findCompany(db, dealer.company_id ?? 0)
  const manager = findUserInGroup(group.manager)(db, dealer.manager_id ?? 0)
  return [
    {
      label: 'Company',
      text: company?.org,
      href: company && allows(companyMay.view, actor, company) ? `/company/edit/${company.id}` : undefined,
    },
    { label: 'Manager', text: manager && fullName(manager) },
  ]
}
