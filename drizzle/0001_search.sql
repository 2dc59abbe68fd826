-- What was here is in src/database/triggers.sql. A migration must do something.
DROP TRIGGER IF EXISTS users_fts_insert;
