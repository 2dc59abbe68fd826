import type Sqlite from 'better-sqlite3'

// Rebuilding a table makes SQLite forget which ids deleted rows had; history and trash still refer to them, so they must never be
// reused.

export function saveSequences(client: Sqlite.Database): void {
  client.exec(`
    create table if not exists saved_sequences (id integer primary key autoincrement, name text not null, seq integer not null);
    insert into saved_sequences (name, seq) select name, seq from sqlite_sequence where name <> 'saved_sequences'`)
}

export function restoreSequences(client: Sqlite.Database): void {
  client.exec(`
    insert into sqlite_sequence (name, seq) select distinct name, 0 from saved_sequences
      where name in (select name from sqlite_master where type = 'table') and name not in (select name from sqlite_sequence);
    update sqlite_sequence set seq = max(seq, (select max(saved.seq) from saved_sequences as saved where saved.name = sqlite_sequence.name))
      where name in (select name from saved_sequences);
    drop table saved_sequences`)
}
