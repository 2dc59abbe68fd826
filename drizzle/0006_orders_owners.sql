-- What was here is in src/database/triggers.sql. A migration must do something.
DROP TRIGGER IF EXISTS orders_owner_insert;
