CREATE TABLE `api_tokens` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`name` text NOT NULL,
	`token_hash` text NOT NULL,
	`read_only` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`last_used_at` integer,
	`last_address` text,
	`networks` text DEFAULT '[]' NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_tokens_token_hash_unique` ON `api_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `api_tokens_user` ON `api_tokens` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `companies_updated` ON `companies` (`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_updated` ON `orders` (`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `products_updated` ON `products` (`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `users_updated` ON `users` (`group_id`,`updated_at`,`id`);