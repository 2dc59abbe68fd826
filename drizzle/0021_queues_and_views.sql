CREATE TABLE `saved_views` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`group_id` integer,
	`list` text NOT NULL,
	`name` text NOT NULL,
	`query` text NOT NULL,
	`is_default` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `saved_views_user` ON `saved_views` (`user_id`,`list`);--> statement-breakpoint
CREATE INDEX `saved_views_group` ON `saved_views` (`group_id`,`list`);--> statement-breakpoint
ALTER TABLE `orders` ADD `status_since` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `orders_stuck` ON `orders` (`status_id`,`status_since`);--> statement-breakpoint
CREATE INDEX `orders_since` ON `orders` (`status_since`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_make` ON `orders` (`date_make`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_delivery` ON `orders` (`date_delivery`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_payment` ON `orders` (`date_payment`,`id`);