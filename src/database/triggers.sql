-- What drizzle-kit does not know: triggers, views, full-text tables and indexes over expressions.
-- Migrating drops all of them and runs this file afterwards, so that migrations may rebuild any table.
-- It may be run at any time. A statement begins at the start of a line; what fills a table or a column follows its definition.

-- An order belongs to the company that its dealer belongs to now; a deleted dealer's to the company recorded on it.
-- Kept on the order itself, so that lists of a company or a manager are one walk along an index.
UPDATE orders SET owner_company_id = iif(dealer_id IS NULL, company_id, (SELECT users.company_id FROM users WHERE users.id = dealer_id))
  WHERE owner_company_id IS NOT iif(dealer_id IS NULL, company_id, (SELECT users.company_id FROM users WHERE users.id = dealer_id));
UPDATE orders SET owner_manager_id = (SELECT manager_id FROM companies WHERE companies.id = owner_company_id)
  WHERE owner_manager_id IS NOT (SELECT manager_id FROM companies WHERE companies.id = owner_company_id);
CREATE TRIGGER IF NOT EXISTS orders_owner_insert AFTER INSERT ON orders BEGIN
  UPDATE orders SET owner_company_id = CASE WHEN new.dealer_id IS NULL THEN new.company_id ELSE (SELECT company_id FROM users WHERE id = new.dealer_id) END WHERE id = new.id;
  UPDATE orders SET owner_manager_id = (SELECT manager_id FROM companies WHERE id = orders.owner_company_id) WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_owner_update AFTER UPDATE OF dealer_id, company_id ON orders BEGIN
  UPDATE orders SET owner_company_id = CASE WHEN new.dealer_id IS NULL THEN new.company_id ELSE (SELECT company_id FROM users WHERE id = new.dealer_id) END WHERE id = new.id;
  UPDATE orders SET owner_manager_id = (SELECT manager_id FROM companies WHERE id = orders.owner_company_id) WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS users_company_orders AFTER UPDATE OF company_id ON users WHEN old.company_id IS NOT new.company_id BEGIN
  UPDATE orders SET owner_company_id = new.company_id, owner_manager_id = (SELECT manager_id FROM companies WHERE id = new.company_id) WHERE dealer_id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS companies_manager_orders AFTER UPDATE OF manager_id ON companies WHEN old.manager_id IS NOT new.manager_id BEGIN
  UPDATE orders SET owner_manager_id = new.manager_id WHERE owner_company_id = new.id;
END;

-- Serial numbers that count: the next one is the highest of them and one.
CREATE INDEX IF NOT EXISTS orders_serial ON orders (cast(sn AS integer)) WHERE sn NOT GLOB '*[^0-9]*' AND length(sn) BETWEEN 1 AND 12;

-- How many orders of a month are in a status.
DELETE FROM order_tallies;
INSERT INTO order_tallies (status_id, month, count)
  SELECT ifnull(status_id, 0), strftime('%Y-%m', created_at / 1000, 'unixepoch'), count(*) FROM orders GROUP BY 1, 2;
CREATE TRIGGER IF NOT EXISTS order_tallies_insert AFTER INSERT ON orders BEGIN
  INSERT INTO order_tallies (status_id, month, count) VALUES (ifnull(new.status_id, 0), strftime('%Y-%m', new.created_at / 1000, 'unixepoch'), 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS order_tallies_delete AFTER DELETE ON orders BEGIN
  UPDATE order_tallies SET count = count - 1 WHERE status_id = ifnull(old.status_id, 0) AND month = strftime('%Y-%m', old.created_at / 1000, 'unixepoch');
END;
CREATE TRIGGER IF NOT EXISTS order_tallies_update AFTER UPDATE OF status_id, created_at ON orders BEGIN
  UPDATE order_tallies SET count = count - 1 WHERE status_id = ifnull(old.status_id, 0) AND month = strftime('%Y-%m', old.created_at / 1000, 'unixepoch');
  INSERT INTO order_tallies (status_id, month, count) VALUES (ifnull(new.status_id, 0), strftime('%Y-%m', new.created_at / 1000, 'unixepoch'), 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- How many people there are of each group.
DELETE FROM user_tallies;
INSERT INTO user_tallies (group_id, count) SELECT group_id, count(*) FROM users GROUP BY group_id;
CREATE TRIGGER IF NOT EXISTS user_tallies_insert AFTER INSERT ON users BEGIN
  INSERT INTO user_tallies (group_id, count) VALUES (new.group_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER IF NOT EXISTS user_tallies_delete AFTER DELETE ON users BEGIN
  UPDATE user_tallies SET count = count - 1 WHERE group_id = old.group_id;
END;
CREATE TRIGGER IF NOT EXISTS user_tallies_update AFTER UPDATE OF group_id ON users BEGIN
  UPDATE user_tallies SET count = count - 1 WHERE group_id = old.group_id;
  INSERT INTO user_tallies (group_id, count) VALUES (new.group_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;

-- Trigram indexes over the folded `search` columns, kept in step by triggers.
-- detail=none keeps them small: candidates are checked against the row itself.
CREATE VIRTUAL TABLE IF NOT EXISTS companies_fts USING fts5(search, content='companies', content_rowid='id', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
INSERT INTO companies_fts(companies_fts) VALUES ('rebuild');
CREATE TRIGGER IF NOT EXISTS companies_fts_insert AFTER INSERT ON companies BEGIN
  INSERT INTO companies_fts(rowid, search) VALUES (new.id, new.search);
END;
CREATE TRIGGER IF NOT EXISTS companies_fts_delete AFTER DELETE ON companies BEGIN
  INSERT INTO companies_fts(companies_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;
CREATE TRIGGER IF NOT EXISTS companies_fts_update AFTER UPDATE OF search ON companies WHEN old.search <> new.search BEGIN
  INSERT INTO companies_fts(companies_fts, rowid, search) VALUES ('delete', old.id, old.search);
  INSERT INTO companies_fts(rowid, search) VALUES (new.id, new.search);
END;

CREATE VIRTUAL TABLE IF NOT EXISTS changes_fts USING fts5(search, content='changes', content_rowid='id', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');
INSERT INTO changes_fts(changes_fts) VALUES ('rebuild');
CREATE TRIGGER IF NOT EXISTS changes_fts_insert AFTER INSERT ON changes BEGIN
  INSERT INTO changes_fts(rowid, search) VALUES (new.id, new.search);
END;
CREATE TRIGGER IF NOT EXISTS changes_fts_delete AFTER DELETE ON changes BEGIN
  INSERT INTO changes_fts(changes_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;

-- One index answers for all that dealers are found by, exactly: their own text, their company (k) and their manager (m).
-- Whoever is of another group is marked with it (g).
CREATE VIRTUAL TABLE IF NOT EXISTS users_terms USING fts5(terms, content='', columnsize=0, tokenize='ascii');
INSERT INTO users_terms(users_terms) VALUES ('delete-all');
INSERT INTO users_terms(rowid, terms) SELECT id, concat_ws(' ', search_terms(search), 'k' || company_id, 'm' || manager_id, 'g' || nullif(group_id, 2)) FROM users;
CREATE TRIGGER IF NOT EXISTS users_terms_insert AFTER INSERT ON users BEGIN
  INSERT INTO users_terms(rowid, terms) VALUES (new.id, concat_ws(' ', search_terms(new.search), 'k' || new.company_id, 'm' || new.manager_id, 'g' || nullif(new.group_id, 2)));
END;
CREATE TRIGGER IF NOT EXISTS users_terms_delete AFTER DELETE ON users BEGIN
  INSERT INTO users_terms(users_terms, rowid, terms) VALUES ('delete', old.id, concat_ws(' ', search_terms(old.search), 'k' || old.company_id, 'm' || old.manager_id, 'g' || nullif(old.group_id, 2)));
END;
CREATE TRIGGER IF NOT EXISTS users_terms_update AFTER UPDATE OF search, company_id, manager_id, group_id ON users
  WHEN (old.search, old.company_id, old.manager_id, old.group_id) IS NOT (new.search, new.company_id, new.manager_id, new.group_id) BEGIN
  INSERT INTO users_terms(users_terms, rowid, terms) VALUES ('delete', old.id, concat_ws(' ', search_terms(old.search), 'k' || old.company_id, 'm' || old.manager_id, 'g' || nullif(old.group_id, 2)));
  INSERT INTO users_terms(rowid, terms) VALUES (new.id, concat_ws(' ', search_terms(new.search), 'k' || new.company_id, 'm' || new.manager_id, 'g' || nullif(new.group_id, 2)));
END;

-- What orders are found by, as an index of terms keeps it: their own text, the name of their dealer, their company (k).
CREATE VIEW IF NOT EXISTS orders_found_by AS
  SELECT orders.id, concat_ws(' ', search_terms(concat_ws(char(10), orders.search, substr(users.search, 1, instr(users.search || char(10), char(10)) - 1))),
    'k' || orders.owner_company_id) AS terms
  FROM orders LEFT JOIN users ON users.id = orders.dealer_id AND users.group_id = 2;
CREATE VIRTUAL TABLE IF NOT EXISTS orders_terms USING fts5(terms, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO orders_terms(orders_terms) VALUES ('delete-all');
INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by;
-- Other triggers change an order that was just inserted, before or after these: each begins by taking away what is there.
CREATE TRIGGER IF NOT EXISTS orders_terms_insert AFTER INSERT ON orders BEGIN
  DELETE FROM orders_terms WHERE rowid = new.id;
  INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_terms_delete AFTER DELETE ON orders BEGIN
  DELETE FROM orders_terms WHERE rowid = old.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_terms_update AFTER UPDATE OF search, dealer_id, owner_company_id ON orders
  WHEN (old.search, old.dealer_id, old.owner_company_id) IS NOT (new.search, new.dealer_id, new.owner_company_id) BEGIN
  DELETE FROM orders_terms WHERE rowid = new.id;
  INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_terms_dealer AFTER UPDATE OF search, group_id ON users
  WHEN (old.search, old.group_id) IS NOT (new.search, new.group_id) BEGIN
  DELETE FROM orders_terms WHERE rowid IN (SELECT id FROM orders WHERE dealer_id = new.id);
  INSERT INTO orders_terms(rowid, terms) SELECT id, terms FROM orders_found_by WHERE id IN (SELECT id FROM orders WHERE dealer_id = new.id);
END;
