ALTER TABLE `order_drafts` ADD `files` text;--> statement-breakpoint
ALTER TABLE `order_drafts` ADD `deleted_at` integer;--> statement-breakpoint
CREATE INDEX `order_drafts_files` ON `order_drafts` (`files`) WHERE files is not null;