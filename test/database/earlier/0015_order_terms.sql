-- What orders are found by, as an index of terms keeps it: their own text, the name of their dealer, their company (k).
CREATE VIEW orders_found_by AS
  SELECT orders.id, concat_ws(' ', search_terms(concat_ws(char(10), orders.search, substr(users.search, 1, instr(users.search || char(10), char(10)) - 1))),
    'k' || orders.owner_company_id) AS terms
  FROM orders LEFT JOIN users ON users.id = orders.dealer_id AND users.group_id = 2;--> statement-breakpoint
DROP TRIGGER orders_fts_insert;--> statement-breakpoint
DROP TRIGGER orders_fts_delete;--> statement-breakpoint
DROP TRIGGER orders_fts_update;--> statement-breakpoint
DROP TABLE orders_fts;--> statement-breakpoint
DROP TRIGGER orders_pairs_insert;--> statement-breakpoint
DROP TRIGGER orders_pairs_delete;--> statement-breakpoint
DROP TRIGGER orders_pairs_update;--> statement-breakpoint
DROP TABLE orders_pairs;--> statement-breakpoint
CREATE VIRTUAL TABLE orders_terms USING fts5(terms, content='', contentless_delete=1, tokenize='ascii');--> statement-breakpoint
INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by;--> statement-breakpoint
-- Other triggers change an order that was just inserted, before or after these: each begins by taking away what is there.
CREATE TRIGGER orders_terms_insert AFTER INSERT ON orders BEGIN
  DELETE FROM orders_terms WHERE rowid = new.id;
  INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by WHERE id = new.id;
END;--> statement-breakpoint
CREATE TRIGGER orders_terms_delete AFTER DELETE ON orders BEGIN
  DELETE FROM orders_terms WHERE rowid = old.id;
END;--> statement-breakpoint
CREATE TRIGGER orders_terms_update AFTER UPDATE OF search, dealer_id, owner_company_id ON orders
  WHEN (old.search, old.dealer_id, old.owner_company_id) IS NOT (new.search, new.dealer_id, new.owner_company_id) BEGIN
  DELETE FROM orders_terms WHERE rowid = new.id;
  INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by WHERE id = new.id;
END;--> statement-breakpoint
CREATE TRIGGER orders_terms_dealer AFTER UPDATE OF search, group_id ON users
  WHEN (old.search, old.group_id) IS NOT (new.search, new.group_id) BEGIN
  DELETE FROM orders_terms WHERE rowid IN (SELECT id FROM orders WHERE dealer_id = new.id);
  INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by WHERE id IN (SELECT id FROM orders WHERE dealer_id = new.id);
END;
