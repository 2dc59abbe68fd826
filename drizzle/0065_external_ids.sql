ALTER TABLE `companies` ADD `external_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `companies_external` ON `companies` (`external_id`) WHERE external_id is not null;--> statement-breakpoint
ALTER TABLE `orders` ADD `external_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_external` ON `orders` (`external_id`) WHERE external_id is not null;--> statement-breakpoint
ALTER TABLE `users` ADD `external_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `users_external` ON `users` (`external_id`) WHERE external_id is not null;