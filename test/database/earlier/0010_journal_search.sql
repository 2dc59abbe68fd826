-- What was written before these columns were there.
UPDATE changes SET search = fold(label);--> statement-breakpoint
UPDATE bin SET search = fold(label), facts = json_extract(removed, '$.rows[0].row'),
  size = iif(id = (SELECT min(id) FROM bin AS other WHERE other.batch = bin.batch), (SELECT count(*) FROM bin AS other WHERE other.batch = bin.batch), NULL),
  list = CASE WHEN entity <> 'users' THEN entity ELSE
    CASE json_extract(removed, '$.rows[0].row.group_id') WHEN 1 THEN 'admins' WHEN 2 THEN 'dealers' WHEN 3 THEN 'managers' ELSE 'productions' END END;--> statement-breakpoint
-- A trigram index over the labels, like those of people and companies.
CREATE VIRTUAL TABLE changes_fts USING fts5(search, content='changes', content_rowid='id', detail=none, columnsize=0, tokenize='trigram case_sensitive 1');--> statement-breakpoint
INSERT INTO changes_fts(changes_fts) VALUES ('rebuild');--> statement-breakpoint
CREATE TRIGGER changes_fts_insert AFTER INSERT ON changes BEGIN
  INSERT INTO changes_fts(rowid, search) VALUES (new.id, new.search);
END;--> statement-breakpoint
CREATE TRIGGER changes_fts_delete AFTER DELETE ON changes BEGIN
  INSERT INTO changes_fts(changes_fts, rowid, search) VALUES ('delete', old.id, old.search);
END;
