-- Trigram indexes over the folded `search` columns, kept in step by triggers.
-- detail=none keeps them small: candidates are checked against the row itself.
CREATE VIRTUAL TABLE users_fts USING fts5(search, content='users', content_rowid='id', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');--> statement-breakpoint
CREATE TRIGGER users_fts_insert AFTER INSERT ON users BEGIN
  INSERT INTO users_fts(rowid, search) VALUES (new.id, new.search);
END;--> statement-breakpoint
CREATE TRIGGER users_fts_delete AFTER DELETE ON users BEGIN
  INSERT INTO users_fts(users_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;--> statement-breakpoint
CREATE TRIGGER users_fts_update AFTER UPDATE OF search ON users WHEN old.search <> new.search BEGIN
  INSERT INTO users_fts(users_fts, rowid, search) VALUES ('delete', old.id, old.search);
  INSERT INTO users_fts(rowid, search) VALUES (new.id, new.search);
END;--> statement-breakpoint
CREATE VIRTUAL TABLE companies_fts USING fts5(search, content='companies', content_rowid='id', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');--> statement-breakpoint
CREATE TRIGGER companies_fts_insert AFTER INSERT ON companies BEGIN
  INSERT INTO companies_fts(rowid, search) VALUES (new.id, new.search);
END;--> statement-breakpoint
CREATE TRIGGER companies_fts_delete AFTER DELETE ON companies BEGIN
  INSERT INTO companies_fts(companies_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;--> statement-breakpoint
CREATE TRIGGER companies_fts_update AFTER UPDATE OF search ON companies WHEN old.search <> new.search BEGIN
  INSERT INTO companies_fts(companies_fts, rowid, search) VALUES ('delete', old.id, old.search);
  INSERT INTO companies_fts(rowid, search) VALUES (new.id, new.search);
END;
