-- What drizzle-kit does not know: triggers, views, full-text tables and indexes over expressions.
-- Migrating drops all of them and runs this file afterwards, so that migrations may rebuild any table.
-- It may be run at any time. A statement begins at the start of a line; what fills a table or a column follows its definition.
-- Full-text tables merge nothing in the middle of a write: the service does so afterwards, a little at a time.

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

-- Since when an order is in its status: its newest step, or its creation, whichever is later.
UPDATE orders SET status_since = max(created_at, ifnull((SELECT max(at) FROM order_history WHERE order_id = orders.id), 0))
  WHERE status_since <> max(created_at, ifnull((SELECT max(at) FROM order_history WHERE order_id = orders.id), 0));
CREATE TRIGGER IF NOT EXISTS orders_since_insert AFTER INSERT ON orders WHEN new.status_since < new.created_at BEGIN
  UPDATE orders SET status_since = new.created_at WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_since_step AFTER INSERT ON order_history BEGIN
  UPDATE orders SET status_since = max(status_since, new.at) WHERE id = new.order_id;
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

-- What records are found by, as their columns say. Full names stand in the order in which people write them.
CREATE VIEW IF NOT EXISTS search_sources AS
  SELECT 'dealers' AS list, users.id AS id,
    concat_ws(char(10), users.lastname, users.name, users.tg_id, users.email, users.phone,
      replace(replace(replace(replace(replace(users.phone, '+', ''), '(', ''), ')', ''), '-', ''), ' ', ''),
      companies.org, manager.lastname, manager.name, manager.middlename) AS text
  FROM users LEFT JOIN companies ON companies.id = users.company_id LEFT JOIN users AS manager ON manager.id = users.manager_id
  WHERE users.group_id = 2
  UNION ALL
  SELECT 'orders', orders.id,
    concat_ws(char(10), '#' || orders.id, '№' || orders.id, '#' || specification_number, '№' || specification_number, receiver, sn, orders.address, orders.phone,
      replace(replace(replace(replace(replace(orders.phone, '+', ''), '(', ''), ')', ''), '-', ''), ' ', ''),
      companies.org, users.lastname, users.name,
      (SELECT group_concat(name, char(10)) FROM order_items WHERE order_id = orders.id))
  FROM orders LEFT JOIN companies ON companies.id = orders.owner_company_id LEFT JOIN users ON users.id = orders.dealer_id
  UNION ALL
  SELECT 'companies', companies.id, concat_ws(char(10), companies.org, companies.inn, companies.email, companies.phone,
      replace(replace(replace(replace(replace(companies.phone, '+', ''), '(', ''), ')', ''), '-', ''), ' ', ''),
      manager.lastname, manager.name, manager.middlename)
  FROM companies LEFT JOIN users AS manager ON manager.id = companies.manager_id;

-- The same in lower case and with ё as е. SQLite's own lower() knows Latin letters only.
CREATE VIEW IF NOT EXISTS search_texts AS
  SELECT list, id, replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(text), 'А', 'а'), 'Б', 'б'), 'В', 'в'), 'Г', 'г'), 'Д', 'д'), 'Е', 'е'), 'Ж', 'ж'), 'З', 'з'), 'И', 'и'), 'Й', 'й'), 'К', 'к'), 'Л', 'л'), 'М', 'м'), 'Н', 'н'), 'О', 'о'), 'П', 'п'), 'Р', 'р'), 'С', 'с'), 'Т', 'т'), 'У', 'у'), 'Ф', 'ф'), 'Х', 'х'), 'Ц', 'ц'), 'Ч', 'ч'), 'Ш', 'ш'), 'Щ', 'щ'), 'Ъ', 'ъ'), 'Ы', 'ы'), 'Ь', 'ь'), 'Э', 'э'), 'Ю', 'ю'), 'Я', 'я'), 'Ё', 'е'), 'ё', 'е') AS text
  FROM search_sources;

-- The search index of dealers. What mentions a record that gets another name is stale until it is written anew, a few at a time.
CREATE TABLE IF NOT EXISTS dealer_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL, stale INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS dealer_texts_stale ON dealer_texts (id) WHERE stale;
DELETE FROM dealer_texts;
INSERT INTO dealer_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'dealers';
CREATE VIRTUAL TABLE IF NOT EXISTS dealer_texts_fts USING fts5(text, content='dealer_texts', content_rowid='id', tokenize='trigram');
INSERT INTO dealer_texts_fts(dealer_texts_fts) VALUES ('rebuild');
INSERT INTO dealer_texts_fts(dealer_texts_fts, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
CREATE TRIGGER IF NOT EXISTS dealer_texts_fts_insert AFTER INSERT ON dealer_texts BEGIN
  INSERT INTO dealer_texts_fts(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS dealer_texts_fts_delete AFTER DELETE ON dealer_texts BEGIN
  INSERT INTO dealer_texts_fts(dealer_texts_fts, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER IF NOT EXISTS dealer_texts_fts_update AFTER UPDATE OF text ON dealer_texts WHEN old.text <> new.text BEGIN
  INSERT INTO dealer_texts_fts(dealer_texts_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO dealer_texts_fts(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS dealer_texts_insert AFTER INSERT ON users WHEN new.group_id = 2 BEGIN
  DELETE FROM dealer_texts WHERE id = new.id;
  INSERT INTO dealer_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'dealers' AND id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS dealer_texts_update AFTER UPDATE OF group_id, lastname, name, tg_id, email, phone, company_id, manager_id ON users
  WHEN (old.group_id, old.lastname, old.name, old.tg_id, old.email, old.phone, old.company_id, old.manager_id) IS NOT (new.group_id, new.lastname, new.name, new.tg_id, new.email, new.phone, new.company_id, new.manager_id) BEGIN
  DELETE FROM dealer_texts WHERE id = new.id;
  INSERT INTO dealer_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'dealers' AND id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS dealer_texts_delete AFTER DELETE ON users BEGIN
  DELETE FROM dealer_texts WHERE id = old.id;
END;

-- The search index of orders. What mentions a record that gets another name is stale until it is written anew, a few at a time.
CREATE TABLE IF NOT EXISTS order_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL, stale INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS order_texts_stale ON order_texts (id) WHERE stale;
DELETE FROM order_texts;
INSERT INTO order_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'orders';
CREATE VIRTUAL TABLE IF NOT EXISTS order_texts_fts USING fts5(text, content='order_texts', content_rowid='id', tokenize='trigram');
INSERT INTO order_texts_fts(order_texts_fts) VALUES ('rebuild');
INSERT INTO order_texts_fts(order_texts_fts, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
CREATE TRIGGER IF NOT EXISTS order_texts_fts_insert AFTER INSERT ON order_texts BEGIN
  INSERT INTO order_texts_fts(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS order_texts_fts_delete AFTER DELETE ON order_texts BEGIN
  INSERT INTO order_texts_fts(order_texts_fts, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER IF NOT EXISTS order_texts_fts_update AFTER UPDATE OF text ON order_texts WHEN old.text <> new.text BEGIN
  INSERT INTO order_texts_fts(order_texts_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO order_texts_fts(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS order_texts_insert AFTER INSERT ON orders BEGIN
  DELETE FROM order_texts WHERE id = new.id;
  INSERT INTO order_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'orders' AND id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS order_texts_update AFTER UPDATE OF dealer_id, owner_company_id, specification_number, receiver, phone, sn, address ON orders
  WHEN (old.dealer_id, old.owner_company_id, old.specification_number, old.receiver, old.phone, old.sn, old.address) IS NOT (new.dealer_id, new.owner_company_id, new.specification_number, new.receiver, new.phone, new.sn, new.address) BEGIN
  DELETE FROM order_texts WHERE id = new.id;
  INSERT INTO order_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'orders' AND id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS order_texts_delete AFTER DELETE ON orders BEGIN
  DELETE FROM order_texts WHERE id = old.id;
END;

-- The search index of companies. What mentions a record that gets another name is stale until it is written anew, a few at a time.
CREATE TABLE IF NOT EXISTS company_texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL, stale INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS company_texts_stale ON company_texts (id) WHERE stale;
DELETE FROM company_texts;
INSERT INTO company_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'companies';
CREATE VIRTUAL TABLE IF NOT EXISTS company_texts_fts USING fts5(text, content='company_texts', content_rowid='id', tokenize='trigram');
INSERT INTO company_texts_fts(company_texts_fts) VALUES ('rebuild');
INSERT INTO company_texts_fts(company_texts_fts, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
CREATE TRIGGER IF NOT EXISTS company_texts_fts_insert AFTER INSERT ON company_texts BEGIN
  INSERT INTO company_texts_fts(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS company_texts_fts_delete AFTER DELETE ON company_texts BEGIN
  INSERT INTO company_texts_fts(company_texts_fts, rowid, text) VALUES ('delete', old.id, old.text);
END;
CREATE TRIGGER IF NOT EXISTS company_texts_fts_update AFTER UPDATE OF text ON company_texts WHEN old.text <> new.text BEGIN
  INSERT INTO company_texts_fts(company_texts_fts, rowid, text) VALUES ('delete', old.id, old.text);
  INSERT INTO company_texts_fts(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS company_texts_insert AFTER INSERT ON companies BEGIN
  DELETE FROM company_texts WHERE id = new.id;
  INSERT INTO company_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'companies' AND id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS company_texts_update AFTER UPDATE OF org, inn, email, phone, manager_id ON companies
  WHEN (old.org, old.inn, old.email, old.phone, old.manager_id) IS NOT (new.org, new.inn, new.email, new.phone, new.manager_id) BEGIN
  DELETE FROM company_texts WHERE id = new.id;
  INSERT INTO company_texts (id, text) SELECT id, text FROM search_texts WHERE list = 'companies' AND id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS company_texts_delete AFTER DELETE ON companies BEGIN
  DELETE FROM company_texts WHERE id = old.id;
END;

-- Others have the name of a person or a company in their text.
CREATE TRIGGER IF NOT EXISTS stale_texts_of_user AFTER UPDATE OF lastname, name, middlename ON users
  WHEN (old.lastname, old.name, old.middlename) IS NOT (new.lastname, new.name, new.middlename) BEGIN
  UPDATE dealer_texts SET stale = 1 WHERE id IN (SELECT id FROM users WHERE manager_id = new.id);
  UPDATE order_texts SET stale = 1 WHERE id IN (SELECT id FROM orders WHERE dealer_id = new.id);
  UPDATE company_texts SET stale = 1 WHERE id IN (SELECT id FROM companies WHERE manager_id = new.id);
END;
-- Of people restored together, those whom somebody has registered may come before that person.
CREATE TRIGGER IF NOT EXISTS stale_texts_of_restored_user AFTER INSERT ON users BEGIN
  UPDATE dealer_texts SET stale = 1 WHERE id IN (SELECT id FROM users WHERE manager_id = new.id);
END;
CREATE TRIGGER IF NOT EXISTS stale_texts_of_company AFTER UPDATE OF org ON companies WHEN old.org <> new.org BEGIN
  UPDATE dealer_texts SET stale = 1 WHERE id IN (SELECT id FROM users WHERE company_id = new.id);
  UPDATE order_texts SET stale = 1 WHERE id IN (SELECT id FROM orders WHERE owner_company_id = new.id);
END;

-- An order is found by its products.
CREATE TRIGGER IF NOT EXISTS stale_texts_item_insert AFTER INSERT ON order_items BEGIN
  UPDATE order_texts SET stale = 1 WHERE id = new.order_id;
END;
CREATE TRIGGER IF NOT EXISTS stale_texts_item_update AFTER UPDATE OF name ON order_items WHEN old.name <> new.name BEGIN
  UPDATE order_texts SET stale = 1 WHERE id = new.order_id;
END;
CREATE TRIGGER IF NOT EXISTS stale_texts_item_delete AFTER DELETE ON order_items BEGIN
  UPDATE order_texts SET stale = 1 WHERE id = old.order_id;
END;

-- The change history only grows: its folded texts are in the table itself.
CREATE VIRTUAL TABLE IF NOT EXISTS changes_fts USING fts5(search, content='changes', content_rowid='id', tokenize='trigram');
INSERT INTO changes_fts(changes_fts) VALUES ('rebuild');
INSERT INTO changes_fts(changes_fts, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
CREATE TRIGGER IF NOT EXISTS changes_fts_insert AFTER INSERT ON changes BEGIN
  INSERT INTO changes_fts(rowid, search) VALUES (new.id, new.search);
END;
CREATE TRIGGER IF NOT EXISTS changes_fts_delete AFTER DELETE ON changes BEGIN
  INSERT INTO changes_fts(changes_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;

-- The security log is written once and kept for a year, whoever asks.
CREATE TRIGGER IF NOT EXISTS security_events_update BEFORE UPDATE ON security_events BEGIN
  SELECT RAISE(ABORT, 'the security log is append-only');
END;
CREATE TRIGGER IF NOT EXISTS security_events_delete BEFORE DELETE ON security_events WHEN old.at > (unixepoch() - 365 * 86400) * 1000 BEGIN
  SELECT RAISE(ABORT, 'the security log is kept for a year');
END;
