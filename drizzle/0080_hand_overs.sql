CREATE TABLE `hand_overs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`from_id` integer,
	`from_name` text NOT NULL,
	`to_id` integer,
	`to_name` text,
	`companies` text NOT NULL,
	`dealers` text NOT NULL,
	`at` integer NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	`undone_at` integer,
	FOREIGN KEY (`from_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`to_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `hand_overs_from` ON `hand_overs` (`from_id`);--> statement-breakpoint
CREATE INDEX `hand_overs_to` ON `hand_overs` (`to_id`);