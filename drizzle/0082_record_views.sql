CREATE TABLE `record_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`record_id` integer NOT NULL,
	`label` text NOT NULL,
	`user_id` integer NOT NULL,
	`user_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	`address` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `record_views_at` ON `record_views` (`at`);--> statement-breakpoint
CREATE INDEX `record_views_record` ON `record_views` (`kind`,`record_id`,`at`);--> statement-breakpoint
CREATE INDEX `record_views_user` ON `record_views` (`user_id`,`at`);--> statement-breakpoint
ALTER TABLE `settings` ADD `keeps_views` integer DEFAULT false NOT NULL;