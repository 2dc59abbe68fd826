// What the web and the modules use of the database. Files in this folder import each other directly.

export { type Author, authorColumns, diffFields, logRow, systemName, touch } from './audit-log.ts'
export { cachedUntilWrite } from './cached-until-write.ts'
export { contains, containsWords, countReferencing, digitsOf, whereIn } from './conditions.ts'
export { dueDay, isLacking } from './due-day.ts'
export { type Database, write, writeAndRollBack } from './open.ts'
export { prepaidBy } from './prepaid.ts'
export { prepareOnce, selectRows } from './prepare-once.ts'
export { createRecord, differencesOf, type RecordTable, updateRecord } from './records.ts'
export * from './schema/index.ts'
export { deleteOldSecurityEvents, logRepeatedEvent, logSecurityEvent, longestDetail } from './security-log.ts'
export { findSettings, type Settings } from './settings.ts'
export { bestEffort } from './storage-unavailable.ts'
