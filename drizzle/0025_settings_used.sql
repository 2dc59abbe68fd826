ALTER TABLE `settings` DROP COLUMN `currency`;--> statement-breakpoint
ALTER TABLE `settings` DROP COLUMN `first_steps_dismissed`;