import { fullTextTable, type Statement, trigger } from './statement.ts'

/** The change history only grows: its folded texts are in the table itself. */
export const changeSearch: Statement[] = [
  ...fullTextTable('changes_fts', 'search', 'changes'),
  trigger('changes_fts_insert', 'AFTER INSERT ON changes', 'INSERT INTO changes_fts(rowid, search) VALUES (new.id, new.search)'),
  trigger(
    'changes_fts_delete',
    'AFTER DELETE ON changes',
    `INSERT INTO changes_fts(changes_fts, rowid, search) VALUES ('delete', old.id, old.search)`,
  ),
]

/** The security log is written once and kept for a year, whoever asks. */
export const securityLog: Statement[] = [
  trigger('security_events_update', 'BEFORE UPDATE ON security_events', `SELECT RAISE(ABORT, 'the security log is append-only')`),
  trigger(
    'security_events_delete',
    'BEFORE DELETE ON security_events WHEN old.at > (unixepoch() - 365 * 86400) * 1000',
    `SELECT RAISE(ABORT, 'the security log is kept for a year')`,
  ),
]
