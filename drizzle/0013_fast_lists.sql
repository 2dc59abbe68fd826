CREATE TABLE `user_tallies` (
	`group_id` integer PRIMARY KEY NOT NULL,
	`count` integer NOT NULL
);
--> statement-breakpoint
DROP INDEX `users_company`;--> statement-breakpoint
CREATE INDEX `users_company` ON `users` (`company_id`,`group_id`,`id`);
