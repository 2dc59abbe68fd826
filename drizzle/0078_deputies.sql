CREATE TABLE `deputies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`manager_id` integer NOT NULL,
	`deputy_id` integer NOT NULL,
	`first_day` text NOT NULL,
	`last_day` text NOT NULL,
	`reading` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`manager_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`deputy_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deputies_manager` ON `deputies` (`manager_id`,`last_day`);--> statement-breakpoint
CREATE INDEX `deputies_deputy` ON `deputies` (`deputy_id`,`last_day`);