CREATE TABLE `import_headings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`list` text NOT NULL,
	`heading` text NOT NULL,
	`field` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `import_headings_heading` ON `import_headings` (`list`,`heading`);--> statement-breakpoint
ALTER TABLE `imports` ADD `heading_first` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `heading_last` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `takes_groups` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `adds_missing` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `prices_from` text;