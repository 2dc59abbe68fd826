CREATE TABLE `order_tallies` (
	`status_id` integer NOT NULL,
	`month` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`status_id`, `month`)
);
--> statement-breakpoint
INSERT INTO order_tallies SELECT ifnull(status_id, 0), strftime('%Y-%m', created_at / 1000, 'unixepoch'), count(*) FROM orders GROUP BY 1, 2;--> statement-breakpoint
CREATE TRIGGER order_tallies_insert AFTER INSERT ON orders BEGIN
  INSERT INTO order_tallies VALUES (ifnull(new.status_id, 0), strftime('%Y-%m', new.created_at / 1000, 'unixepoch'), 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;--> statement-breakpoint
CREATE TRIGGER order_tallies_delete AFTER DELETE ON orders BEGIN
  UPDATE order_tallies SET count = count - 1 WHERE status_id = ifnull(old.status_id, 0) AND month = strftime('%Y-%m', old.created_at / 1000, 'unixepoch');
END;--> statement-breakpoint
CREATE TRIGGER order_tallies_update AFTER UPDATE OF status_id, created_at ON orders BEGIN
  UPDATE order_tallies SET count = count - 1 WHERE status_id = ifnull(old.status_id, 0) AND month = strftime('%Y-%m', old.created_at / 1000, 'unixepoch');
  INSERT INTO order_tallies VALUES (ifnull(new.status_id, 0), strftime('%Y-%m', new.created_at / 1000, 'unixepoch'), 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
