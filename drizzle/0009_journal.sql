ALTER TABLE `bin` ADD `size` integer;--> statement-breakpoint
ALTER TABLE `bin` ADD `restored_at` integer;--> statement-breakpoint
ALTER TABLE `bin` ADD `list` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `bin` ADD `facts` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `bin` ADD `search` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `bin_waiting` ON `bin` (`at`) WHERE size is not null and restored_at is null;--> statement-breakpoint
ALTER TABLE `changes` ADD `search` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX `changes_impersonator` ON `changes` (`impersonator_id`,`at`) WHERE impersonator_id is not null;--> statement-breakpoint
CREATE INDEX `changes_entity` ON `changes` (`entity`,`at`);--> statement-breakpoint
CREATE INDEX `changes_action` ON `changes` (`action`,`at`);--> statement-breakpoint
CREATE INDEX `changes_search` ON `changes` (`search`);