-- The change history is found by the names of those who made it, too.
UPDATE changes SET search = fold(concat_ws(char(10), label, actor_name, impersonator_name));--> statement-breakpoint
INSERT INTO changes_fts(changes_fts) VALUES ('rebuild');
