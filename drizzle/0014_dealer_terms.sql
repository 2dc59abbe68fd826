DROP INDEX `users_manager`;--> statement-breakpoint
CREATE INDEX `users_manager` ON `users` (`manager_id`,`group_id`,`id`);
