DROP INDEX `users_manager`;--> statement-breakpoint
CREATE INDEX `users_manager` ON `users` (`manager_id`,`group_id`,`id`);--> statement-breakpoint
-- One index answers for all that dealers are found by, exactly: their own text, their company (k) and their manager (m).
-- Whoever is of another group is marked with it (g). It replaces the indexes of trigrams and of pairs.
DROP TRIGGER users_fts_insert;--> statement-breakpoint
DROP TRIGGER users_fts_delete;--> statement-breakpoint
DROP TRIGGER users_fts_update;--> statement-breakpoint
DROP TABLE users_fts;--> statement-breakpoint
DROP TRIGGER users_pairs_insert;--> statement-breakpoint
DROP TRIGGER users_pairs_delete;--> statement-breakpoint
DROP TRIGGER users_pairs_update;--> statement-breakpoint
DROP TABLE users_pairs;--> statement-breakpoint
CREATE VIRTUAL TABLE users_terms USING fts5(terms, content='', columnsize=0, tokenize='ascii');--> statement-breakpoint
INSERT INTO users_terms(rowid, terms) SELECT id, concat_ws(' ', search_terms(search), 'k' || company_id, 'm' || manager_id, 'g' || nullif(group_id, 2)) FROM users;--> statement-breakpoint
CREATE TRIGGER users_terms_insert AFTER INSERT ON users BEGIN
  INSERT INTO users_terms(rowid, terms) VALUES (new.id, concat_ws(' ', search_terms(new.search), 'k' || new.company_id, 'm' || new.manager_id, 'g' || nullif(new.group_id, 2)));
END;--> statement-breakpoint
CREATE TRIGGER users_terms_delete AFTER DELETE ON users BEGIN
  INSERT INTO users_terms(users_terms, rowid, terms) VALUES ('delete', old.id, concat_ws(' ', search_terms(old.search), 'k' || old.company_id, 'm' || old.manager_id, 'g' || nullif(old.group_id, 2)));
END;--> statement-breakpoint
CREATE TRIGGER users_terms_update AFTER UPDATE OF search, company_id, manager_id, group_id ON users
  WHEN (old.search, old.company_id, old.manager_id, old.group_id) IS NOT (new.search, new.company_id, new.manager_id, new.group_id) BEGIN
  INSERT INTO users_terms(users_terms, rowid, terms) VALUES ('delete', old.id, concat_ws(' ', search_terms(old.search), 'k' || old.company_id, 'm' || old.manager_id, 'g' || nullif(old.group_id, 2)));
  INSERT INTO users_terms(rowid, terms) VALUES (new.id, concat_ws(' ', search_terms(new.search), 'k' || new.company_id, 'm' || new.manager_id, 'g' || nullif(new.group_id, 2)));
END;
