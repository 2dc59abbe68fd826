CREATE TABLE `unfinished_batches` (
	`batch` text PRIMARY KEY NOT NULL,
	`action` text NOT NULL
);
--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_bin` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`batch` text NOT NULL,
	`size` integer,
	`at` integer NOT NULL,
	`restored_at` integer,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`list` text DEFAULT '' NOT NULL,
	`entity` text NOT NULL,
	`record_id` integer NOT NULL,
	`label` text NOT NULL,
	`facts` text DEFAULT '[]' NOT NULL,
	`removed` text NOT NULL,
	`search` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_bin`("id", "batch", "size", "at", "restored_at", "actor_id", "actor_name", "list", "entity", "record_id", "label", "facts", "removed", "search") SELECT "id", "batch", "size", "at", "restored_at", "actor_id", "actor_name", "list", "entity", "record_id", "label",
	iif("size" IS NULL, '[]', (SELECT json_group_array(json("facts")) FROM (SELECT DISTINCT json_remove("other"."facts", '$.id') AS "facts" FROM `bin` AS "other" WHERE "other"."batch" = `bin`."batch"))),
	"removed", "search" FROM `bin`;--> statement-breakpoint
DROP TABLE `bin`;--> statement-breakpoint
ALTER TABLE `__new_bin` RENAME TO `bin`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `bin_at` ON `bin` (`at`);--> statement-breakpoint
CREATE INDEX `bin_batch` ON `bin` (`batch`);--> statement-breakpoint
CREATE INDEX `bin_record` ON `bin` (`entity`,`record_id`);--> statement-breakpoint
CREATE INDEX `bin_waiting` ON `bin` (`at`) WHERE size is not null and restored_at is null;