import { text } from './text.ts'

/** What other programs know a record by: no two records of a table have the same. */
export const externalId = text('External ID', {
  distinct: { problem: 'Another record has this value.' },
  hint: 'What other programs know it by',
})
