-- What drizzle-kit does not know: triggers, views, full-text tables and indexes over expressions.
-- Migrating drops all of them and runs this file afterwards, so that migrations may rebuild any table.
-- It may be run at any time. A statement begins at the start of a line; what fills a table or a column follows its definition.
-- Full-text tables merge nothing in the middle of a write: the service does so afterwards, a little at a time.

-- An order belongs to the company that its dealer belongs to now; a deleted dealer's, and one that stayed when its dealer moved, to the
-- company recorded on it.
-- Kept on the order itself, so that lists of a company or a manager are one walk along an index.
UPDATE orders SET owner_company_id = iif(dealer_id IS NULL OR company_stays, company_id, (SELECT users.company_id FROM users WHERE users.id = dealer_id))
  WHERE owner_company_id IS NOT iif(dealer_id IS NULL OR company_stays, company_id, (SELECT users.company_id FROM users WHERE users.id = dealer_id));
-- Its manager is the company's; where the company has none, the own one of its dealer, if that is a dealer of the company.
UPDATE orders SET owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE companies.id = owner_company_id),
    (SELECT manager.id FROM users AS dealer JOIN users AS manager ON manager.id = dealer.manager_id AND manager.group_id = 3 WHERE dealer.id = orders.dealer_id AND NOT orders.company_stays))
  WHERE owner_manager_id IS NOT coalesce((SELECT manager_id FROM companies WHERE companies.id = owner_company_id),
    (SELECT manager.id FROM users AS dealer JOIN users AS manager ON manager.id = dealer.manager_id AND manager.group_id = 3 WHERE dealer.id = orders.dealer_id AND NOT orders.company_stays));
CREATE TRIGGER IF NOT EXISTS orders_owner_insert AFTER INSERT ON orders BEGIN
  UPDATE orders SET owner_company_id = CASE WHEN new.dealer_id IS NULL OR new.company_stays THEN new.company_id ELSE (SELECT company_id FROM users WHERE id = new.dealer_id) END WHERE id = new.id;
  UPDATE orders SET owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE id = orders.owner_company_id),
    (SELECT manager.id FROM users AS dealer JOIN users AS manager ON manager.id = dealer.manager_id AND manager.group_id = 3 WHERE dealer.id = orders.dealer_id AND NOT orders.company_stays)) WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_owner_update AFTER UPDATE OF dealer_id, company_id, company_stays ON orders BEGIN
  UPDATE orders SET owner_company_id = CASE WHEN new.dealer_id IS NULL OR new.company_stays THEN new.company_id ELSE (SELECT company_id FROM users WHERE id = new.dealer_id) END WHERE id = new.id;
  UPDATE orders SET owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE id = orders.owner_company_id),
    (SELECT manager.id FROM users AS dealer JOIN users AS manager ON manager.id = dealer.manager_id AND manager.group_id = 3 WHERE dealer.id = orders.dealer_id AND NOT orders.company_stays)) WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS users_company_orders AFTER UPDATE OF company_id ON users WHEN old.company_id IS NOT new.company_id BEGIN
  UPDATE orders SET owner_company_id = new.company_id, owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE id = new.company_id),
    (SELECT id FROM users WHERE id = new.manager_id AND group_id = 3)) WHERE dealer_id = new.id AND NOT company_stays;
END;
CREATE TRIGGER IF NOT EXISTS users_manager_orders AFTER UPDATE OF manager_id ON users WHEN old.manager_id IS NOT new.manager_id BEGIN
  UPDATE orders SET owner_manager_id = coalesce((SELECT manager_id FROM companies WHERE id = orders.owner_company_id),
    (SELECT id FROM users WHERE id = new.manager_id AND group_id = 3)) WHERE dealer_id = new.id AND NOT company_stays;
END;
CREATE TRIGGER IF NOT EXISTS companies_manager_orders AFTER UPDATE OF manager_id ON companies WHEN old.manager_id IS NOT new.manager_id BEGIN
  UPDATE orders SET owner_manager_id = coalesce(new.manager_id,
    (SELECT manager.id FROM users AS dealer JOIN users AS manager ON manager.id = dealer.manager_id AND manager.group_id = 3 WHERE dealer.id = orders.dealer_id AND NOT orders.company_stays)) WHERE owner_company_id = new.id;
END;

-- Since when an order is in its status: its newest step that was not undone, or its creation, whichever is later.
UPDATE orders SET status_since = max(created_at, ifnull((SELECT max(at) FROM order_history WHERE order_id = orders.id AND undone_at IS NULL AND undoes_id IS NULL), 0))
  WHERE status_since <> max(created_at, ifnull((SELECT max(at) FROM order_history WHERE order_id = orders.id AND undone_at IS NULL AND undoes_id IS NULL), 0));
CREATE TRIGGER IF NOT EXISTS orders_since_insert AFTER INSERT ON orders WHEN new.status_since < new.created_at BEGIN
  UPDATE orders SET status_since = new.created_at WHERE id = new.id;
END;
CREATE TRIGGER IF NOT EXISTS orders_since_step AFTER INSERT ON order_history WHEN new.undoes_id IS NULL BEGIN
  UPDATE orders SET status_since = max(status_since, new.at) WHERE id = new.order_id;
END;
CREATE TRIGGER IF NOT EXISTS orders_since_undo AFTER UPDATE OF undone_at ON order_history BEGIN
  UPDATE orders SET status_since = max(created_at, ifnull((SELECT max(at) FROM order_history
    WHERE order_id = new.order_id AND undone_at IS NULL AND undoes_id IS NULL), 0)) WHERE id = new.order_id;
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

-- The ledger is written once. What companies owe, and what was charged and paid for an order, are sums of it.
CREATE TRIGGER IF NOT EXISTS ledger_entries_update BEFORE UPDATE ON ledger_entries BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
CREATE TRIGGER IF NOT EXISTS ledger_entries_delete BEFORE DELETE ON ledger_entries BEGIN
  SELECT RAISE(ABORT, 'the ledger is append-only');
END;
DELETE FROM company_balances;
INSERT INTO company_balances (company_id, balance) SELECT company_id, sum(amount) FROM ledger_entries GROUP BY company_id;
DELETE FROM order_balances;
INSERT INTO order_balances (order_id, company_id, charged, paid)
  SELECT order_id, company_id, -sum(iif(kind = 'charge', amount, 0)), sum(iif(kind = 'charge', 0, amount))
  FROM ledger_entries WHERE order_id IS NOT NULL GROUP BY order_id;
CREATE TRIGGER IF NOT EXISTS ledger_entries_balances AFTER INSERT ON ledger_entries BEGIN
  INSERT INTO company_balances (company_id, balance) VALUES (new.company_id, new.amount)
    ON CONFLICT DO UPDATE SET balance = balance + new.amount;
  INSERT INTO order_balances (order_id, company_id, charged, paid)
    SELECT new.order_id, new.company_id, iif(new.kind = 'charge', -new.amount, 0), iif(new.kind = 'charge', 0, new.amount)
    WHERE new.order_id IS NOT NULL
    ON CONFLICT DO UPDATE SET charged = charged + excluded.charged, paid = paid + excluded.paid;
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
