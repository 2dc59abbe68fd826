CREATE TABLE `import_rows` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`import_id` integer NOT NULL,
	`rows` text NOT NULL,
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `import_rows_import` ON `import_rows` (`import_id`);--> statement-breakpoint
ALTER TABLE `imports` ADD `row_count` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `imports` ADD `size` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `imports` SET `row_count` = CASE WHEN json_valid(`rows`) THEN json_array_length(`rows`) ELSE 0 END, `size` = length(CAST(`rows` AS blob));--> statement-breakpoint
INSERT INTO `import_rows` (`import_id`, `rows`) SELECT `id`, `rows` FROM `imports`;--> statement-breakpoint
ALTER TABLE `imports` DROP COLUMN `rows`;