ALTER TABLE `order_items` ADD `files` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
CREATE INDEX `order_items_files` ON `order_items` (`files`) WHERE files <> '[]';