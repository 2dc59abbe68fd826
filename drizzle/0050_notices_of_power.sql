ALTER TABLE `notifications` ADD `detail` text;--> statement-breakpoint
ALTER TABLE `notifications` ADD `actor_name` text;