CREATE TABLE `imports` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`list` text NOT NULL,
	`file_name` text NOT NULL,
	`headers` text NOT NULL,
	`rows` text NOT NULL,
	`fields` text NOT NULL,
	`key_field` text NOT NULL,
	`results` text,
	`created_at` integer NOT NULL,
	`saved_at` integer,
	`undone_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `imports_user` ON `imports` (`user_id`);--> statement-breakpoint
CREATE INDEX `imports_created` ON `imports` (`created_at`);