CREATE TABLE `user_tallies` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `users_company`;--> statement-breakpoint
CREATE INDEX `users_company` ON `users` (`company_id`,`group_id`,`id`);--> statement-breakpoint
INSERT INTO user_tallies SELECT group_id, count(*) FROM users GROUP BY group_id;--> statement-breakpoint
CREATE TRIGGER user_tallies_insert AFTER INSERT ON users BEGIN
  INSERT INTO user_tallies VALUES (new.group_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;--> statement-breakpoint
CREATE TRIGGER user_tallies_delete AFTER DELETE ON users BEGIN
  UPDATE user_tallies SET count = count - 1 WHERE group_id = old.group_id;
END;--> statement-breakpoint
CREATE TRIGGER user_tallies_update AFTER UPDATE OF group_id ON users BEGIN
  UPDATE user_tallies SET count = count - 1 WHERE group_id = old.group_id;
  INSERT INTO user_tallies VALUES (new.group_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;--> statement-breakpoint
-- Words of one or two letters have no trigrams: an index of letters and pairs of letters names their rows.
CREATE VIRTUAL TABLE users_pairs USING fts5(pairs, content='', detail=none, columnsize=0, tokenize='ascii');--> statement-breakpoint
INSERT INTO users_pairs(rowid, pairs) SELECT id, letter_pairs(search) FROM users;--> statement-breakpoint
CREATE TRIGGER users_pairs_insert AFTER INSERT ON users BEGIN
  INSERT INTO users_pairs(rowid, pairs) VALUES (new.id, letter_pairs(new.search));
END;--> statement-breakpoint
CREATE TRIGGER users_pairs_delete AFTER DELETE ON users BEGIN
  INSERT INTO users_pairs(users_pairs, rowid, pairs) VALUES ('delete', old.id, letter_pairs(old.search));
END;--> statement-breakpoint
CREATE TRIGGER users_pairs_update AFTER UPDATE OF search ON users WHEN old.search <> new.search BEGIN
  INSERT INTO users_pairs(users_pairs, rowid, pairs) VALUES ('delete', old.id, letter_pairs(old.search));
  INSERT INTO users_pairs(rowid, pairs) VALUES (new.id, letter_pairs(new.search));
END;--> statement-breakpoint
CREATE VIRTUAL TABLE orders_pairs USING fts5(pairs, content='', detail=none, columnsize=0, tokenize='ascii');--> statement-breakpoint
INSERT INTO orders_pairs(rowid, pairs) SELECT id, letter_pairs(search) FROM orders;--> statement-breakpoint
CREATE TRIGGER orders_pairs_insert AFTER INSERT ON orders BEGIN
  INSERT INTO orders_pairs(rowid, pairs) VALUES (new.id, letter_pairs(new.search));
END;--> statement-breakpoint
CREATE TRIGGER orders_pairs_delete AFTER DELETE ON orders BEGIN
  INSERT INTO orders_pairs(orders_pairs, rowid, pairs) VALUES ('delete', old.id, letter_pairs(old.search));
END;--> statement-breakpoint
CREATE TRIGGER orders_pairs_update AFTER UPDATE OF search ON orders WHEN old.search <> new.search BEGIN
  INSERT INTO orders_pairs(orders_pairs, rowid, pairs) VALUES ('delete', old.id, letter_pairs(old.search));
  INSERT INTO orders_pairs(rowid, pairs) VALUES (new.id, letter_pairs(new.search));
END;
