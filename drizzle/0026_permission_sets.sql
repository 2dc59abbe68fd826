CREATE TABLE `permission_sets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`keys` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `permission_sets_name_unique` ON `permission_sets` (`name`);