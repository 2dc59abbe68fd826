-- An order belongs to the company that its dealer belongs to now; a deleted dealer's to the company recorded on it.
-- Kept on the order itself, so that lists of a company or a manager are one walk along an index.
CREATE TRIGGER orders_owner_insert AFTER INSERT ON orders BEGIN
  UPDATE orders SET owner_company_id = CASE WHEN new.dealer_id IS NULL THEN new.company_id ELSE (SELECT company_id FROM users WHERE id = new.dealer_id) END WHERE id = new.id;
  UPDATE orders SET owner_manager_id = (SELECT manager_id FROM companies WHERE id = orders.owner_company_id) WHERE id = new.id;
END;--> statement-breakpoint
CREATE TRIGGER orders_owner_update AFTER UPDATE OF dealer_id, company_id ON orders BEGIN
  UPDATE orders SET owner_company_id = CASE WHEN new.dealer_id IS NULL THEN new.company_id ELSE (SELECT company_id FROM users WHERE id = new.dealer_id) END WHERE id = new.id;
  UPDATE orders SET owner_manager_id = (SELECT manager_id FROM companies WHERE id = orders.owner_company_id) WHERE id = new.id;
END;--> statement-breakpoint
CREATE TRIGGER users_company_orders AFTER UPDATE OF company_id ON users WHEN old.company_id IS NOT new.company_id BEGIN
  UPDATE orders SET owner_company_id = new.company_id, owner_manager_id = (SELECT manager_id FROM companies WHERE id = new.company_id) WHERE dealer_id = new.id;
END;--> statement-breakpoint
CREATE TRIGGER companies_manager_orders AFTER UPDATE OF manager_id ON companies WHEN old.manager_id IS NOT new.manager_id BEGIN
  UPDATE orders SET owner_manager_id = new.manager_id WHERE owner_company_id = new.id;
END;--> statement-breakpoint
UPDATE orders SET owner_company_id = CASE WHEN dealer_id IS NULL THEN company_id ELSE (SELECT company_id FROM users WHERE users.id = orders.dealer_id) END;--> statement-breakpoint
UPDATE orders SET owner_manager_id = (SELECT manager_id FROM companies WHERE companies.id = orders.owner_company_id);--> statement-breakpoint
-- Serial numbers that count: the next one is the highest of them and one.
CREATE INDEX orders_serial ON orders (cast(sn AS integer)) WHERE sn NOT GLOB '*[^0-9]*' AND length(sn) BETWEEN 1 AND 12;--> statement-breakpoint
CREATE VIRTUAL TABLE orders_fts USING fts5(search, content='orders', content_rowid='id', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');--> statement-breakpoint
INSERT INTO orders_fts(orders_fts) VALUES ('rebuild');--> statement-breakpoint
CREATE TRIGGER orders_fts_insert AFTER INSERT ON orders BEGIN
  INSERT INTO orders_fts(rowid, search) VALUES (new.id, new.search);
END;--> statement-breakpoint
CREATE TRIGGER orders_fts_delete AFTER DELETE ON orders BEGIN
  INSERT INTO orders_fts(orders_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;--> statement-breakpoint
CREATE TRIGGER orders_fts_update AFTER UPDATE OF search ON orders WHEN old.search <> new.search BEGIN
  INSERT INTO orders_fts(orders_fts, rowid, search) VALUES ('delete', old.id, old.search);
  INSERT INTO orders_fts(rowid, search) VALUES (new.id, new.search);
END;
