ALTER TABLE `submissions` ADD `form` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `submissions` ADD `report` text;