import { references } from '../../references/reference.ts'
import { referenceCard } from '../../references/routes.ts'
import { resourceOf } from './of-card.ts'

const schemas = { stocks: 'Warehouse', manufactures: 'ProductionSite', categories: 'Category' }

export const referenceResources = references.map((reference) => resourceOf(schemas[reference.name], referenceCard(reference)))
