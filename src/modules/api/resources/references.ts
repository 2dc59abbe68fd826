import { references } from '../../references/reference.ts'
import { referenceCard } from '../../references/routes.ts'
import { resourceOf } from './of-card.ts'

const titles = { stocks: 'Warehouse', manufactures: 'ProductionSite', categories: 'Category' }

export const referenceResources = references.map((reference) => resourceOf(titles[reference.name], referenceCard(reference)))
