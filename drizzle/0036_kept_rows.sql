CREATE TABLE `kept_rows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`entity` text NOT NULL,
	`record_id` integer NOT NULL,
	`table` text NOT NULL,
	`row` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `kept_rows_record` ON `kept_rows` (`entity`,`record_id`);