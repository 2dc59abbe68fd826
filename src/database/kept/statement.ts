/** Something that drizzle-kit does not know: a trigger, a view, a full-text table, a table or an index of those. */
export interface SchemaObject {
  name: string
  /** As SQLite stores it. */
  sql: string
}

/** Creates an object, or fills one, or a column, that is there. */
export type Statement = SchemaObject | string

export function trigger(name: string, event: string, ...statements: string[]): SchemaObject {
  return { name, sql: `CREATE TRIGGER ${name} ${event} BEGIN\n${statements.map((statement) => `  ${statement};\n`).join('')}END` }
}

export function anyChanged(columns: string[]): string {
  return columns.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')
}

/** A trigram index over the texts of a table. It merges nothing in the middle of a write: the service does so afterwards, a little at a time. */
export function fullTextTable(name: string, column: string, table: string): Statement[] {
  const create = `CREATE VIRTUAL TABLE ${name} USING fts5(${column}, content='${table}', content_rowid='id', tokenize='trigram')`
  return [
    { name, sql: create },
    `INSERT INTO ${name}(${name}) VALUES ('rebuild')`,
    `INSERT INTO ${name}(${name}, rank) VALUES ('automerge', 0), ('crisismerge', 1000)`,
  ]
}
