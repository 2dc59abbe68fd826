-- What was written before these columns were there.
UPDATE changes SET search = fold(label);--> statement-breakpoint
UPDATE bin SET search = fold(label), facts = json_extract(removed, '$.rows[0].row'),
  size = iif(id = (SELECT min(id) FROM bin AS other WHERE other.batch = bin.batch), (SELECT count(*) FROM bin AS other WHERE other.batch = bin.batch), NULL),
  list = CASE WHEN entity <> 'users' THEN entity ELSE
    CASE json_extract(removed, '$.rows[0].row.group_id') WHEN 1 THEN 'admins' WHEN 2 THEN 'dealers' WHEN 3 THEN 'managers' ELSE 'productions' END END;
