CREATE TABLE `category_company` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`category_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`discount` integer NOT NULL,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `category_company_category` ON `category_company` (`category_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `category_company_pair` ON `category_company` (`company_id`,`category_id`);--> statement-breakpoint
CREATE TABLE `companies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org` text NOT NULL,
	`contract_number` text,
	`contract_date` text,
	`inn` text,
	`ogrn` text,
	`kpp` text,
	`okpo` text,
	`okato` text,
	`okved` text,
	`address` text,
	`legal_address` text,
	`director_name_full` text,
	`director_name_short` text,
	`bank` text,
	`bik` text,
	`rs` text,
	`cs` text,
	`phone` text,
	`email` text,
	`discount` integer,
	`specification_start_number` integer,
	`manufacture_id` integer,
	`stock_id` integer,
	`manager_id` integer,
	`files` text DEFAULT '[]' NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`manufacture_id`) REFERENCES `manufactures`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`stock_id`) REFERENCES `stocks`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`manager_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `companies_created` ON `companies` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `companies_org` ON `companies` (`search`,`id`);--> statement-breakpoint
CREATE INDEX `companies_manager` ON `companies` (`manager_id`,`id`);--> statement-breakpoint
CREATE INDEX `companies_manufacture` ON `companies` (`manufacture_id`);--> statement-breakpoint
CREATE INDEX `companies_stock` ON `companies` (`stock_id`);--> statement-breakpoint
CREATE TABLE `bin` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`batch` text NOT NULL,
	`at` integer NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`entity` text NOT NULL,
	`record_id` integer NOT NULL,
	`label` text NOT NULL,
	`removed` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `bin_at` ON `bin` (`at`);--> statement-breakpoint
CREATE INDEX `bin_batch` ON `bin` (`batch`);--> statement-breakpoint
CREATE INDEX `bin_record` ON `bin` (`entity`,`record_id`);--> statement-breakpoint
CREATE TABLE `changes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	`address` text,
	`action` text NOT NULL,
	`entity` text NOT NULL,
	`record_id` integer NOT NULL,
	`record_version` integer NOT NULL,
	`label` text NOT NULL,
	`fields` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `changes_record` ON `changes` (`entity`,`record_id`,`record_version`);--> statement-breakpoint
CREATE INDEX `changes_actor` ON `changes` (`actor_id`,`at`);--> statement-breakpoint
CREATE INDEX `changes_at` ON `changes` (`at`);--> statement-breakpoint
CREATE TABLE `planted` (
	`name` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `submissions` (
	`user_id` integer NOT NULL,
	`once` text NOT NULL,
	`location` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `once`)
);
--> statement-breakpoint
CREATE INDEX `submissions_at` ON `submissions` (`at`);--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`size` integer NOT NULL,
	`user_id` integer NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_key` ON `uploads` (`key`,`user_id`);--> statement-breakpoint
CREATE INDEX `uploads_at` ON `uploads` (`at`);--> statement-breakpoint
CREATE TABLE `news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`shown` text,
	`images` text DEFAULT '[]' NOT NULL,
	`published` integer DEFAULT false NOT NULL,
	`publishedon` integer,
	`index` integer DEFAULT 0 NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE INDEX `news_published` ON `news` (`published`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `news_publishedon` ON `news` (`publishedon`,`id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`notification_id` integer NOT NULL,
	`channel` text NOT NULL,
	`state` text DEFAULT 'waiting' NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_at` integer NOT NULL,
	`last_error` text,
	FOREIGN KEY (`notification_id`) REFERENCES `notifications`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deliveries_next` ON `deliveries` (`state`,`next_at`);--> statement-breakpoint
CREATE INDEX `deliveries_notification` ON `deliveries` (`notification_id`);--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`order_id` integer,
	`history_id` integer,
	`status_name` text NOT NULL,
	`read_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`history_id`) REFERENCES `order_history`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `notifications_user` ON `notifications` (`user_id`,`read_at`,`id`);--> statement-breakpoint
CREATE INDEX `notifications_order` ON `notifications` (`order_id`);--> statement-breakpoint
CREATE INDEX `notifications_history` ON `notifications` (`history_id`);--> statement-breakpoint
CREATE TABLE `order_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`at` integer NOT NULL,
	`transition_id` integer,
	`from_status_id` integer,
	`from_name` text,
	`to_status_id` integer,
	`to_name` text,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	`filled` text DEFAULT '{}' NOT NULL,
	`forced` text DEFAULT '{}' NOT NULL,
	`comment` text,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_history_order` ON `order_history` (`order_id`,`at`);--> statement-breakpoint
CREATE TABLE `order_items` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`category_id` integer,
	`name` text NOT NULL,
	`quantity` integer NOT NULL,
	`price` integer NOT NULL,
	`discount` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `order_items_order` ON `order_items` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_items_category` ON `order_items` (`category_id`);--> statement-breakpoint
CREATE TABLE `orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status_id` integer,
	`dealer_id` integer,
	`company_id` integer,
	`specification_number` integer,
	`sn` text,
	`specification` text,
	`payment_order` text,
	`invoice` text,
	`date_make` text,
	`date_delivery` text,
	`date_payment` text,
	`payment` text,
	`receiver` text,
	`phone` text,
	`email` text,
	`delivery` text,
	`address` text,
	`deferred_payment` integer DEFAULT false NOT NULL,
	`comment` text,
	`cost` integer DEFAULT 0 NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`status_id`) REFERENCES `statuses`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`dealer_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `orders_status` ON `orders` (`status_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_dealer` ON `orders` (`dealer_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_company` ON `orders` (`company_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `policies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL,
	`category` text NOT NULL,
	`description` text DEFAULT '' NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `policies_key_unique` ON `policies` (`key`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`token_hash` text NOT NULL,
	`user_id` integer NOT NULL,
	`acting_as_id` integer,
	`return_to` text,
	`flash` text,
	`address` text NOT NULL,
	`user_agent` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`acting_as_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_token_hash_unique` ON `sessions` (`token_hash`);--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_acting` ON `sessions` (`acting_as_id`);--> statement-breakpoint
CREATE TABLE `sign_in_failures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`email` text collate nocase NOT NULL,
	`address` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_failures_email` ON `sign_in_failures` (`email`,`at`);--> statement-breakpoint
CREATE INDEX `sign_in_failures_address` ON `sign_in_failures` (`address`,`at`);--> statement-breakpoint
CREATE INDEX `sign_in_failures_at` ON `sign_in_failures` (`at`);--> statement-breakpoint
CREATE TABLE `user_policies` (
	`user_id` integer NOT NULL,
	`policy_id` integer NOT NULL,
	`value` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`user_id`, `policy_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`policy_id`) REFERENCES `policies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `user_policies_policy` ON `user_policies` (`policy_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`group_id` integer NOT NULL,
	`email` text collate nocase NOT NULL,
	`password` text NOT NULL,
	`name` text NOT NULL,
	`lastname` text NOT NULL,
	`middlename` text,
	`position` text,
	`phone` text,
	`tg_id` text,
	`image` text,
	`active` integer DEFAULT true NOT NULL,
	`superadmin` integer DEFAULT false NOT NULL,
	`company_id` integer,
	`manager_id` integer,
	`stock_id` integer,
	`manufacture_id` integer,
	`last_auth` integer,
	`language` text,
	`theme` text,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`manager_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`stock_id`) REFERENCES `stocks`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`manufacture_id`) REFERENCES `manufactures`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_group` ON `users` (`group_id`,`id`);--> statement-breakpoint
CREATE INDEX `users_created` ON `users` (`group_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `users_company` ON `users` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `users_manager` ON `users` (`manager_id`,`id`);--> statement-breakpoint
CREATE INDEX `users_stock` ON `users` (`stock_id`);--> statement-breakpoint
CREATE INDEX `users_manufacture` ON `users` (`manufacture_id`);--> statement-breakpoint
CREATE TABLE `categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `manufactures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`address` text
);
--> statement-breakpoint
CREATE TABLE `stocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`address` text
);
--> statement-breakpoint
CREATE TABLE `policy_status` (
	`status_id` integer NOT NULL,
	`status_policy_id` integer NOT NULL,
	`value` integer DEFAULT false NOT NULL,
	PRIMARY KEY(`status_id`, `status_policy_id`),
	FOREIGN KEY (`status_id`) REFERENCES `statuses`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_policy_id`) REFERENCES `status_policies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `policy_status_policy` ON `policy_status` (`status_policy_id`);--> statement-breakpoint
CREATE TABLE `status_policies` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`key` text NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `status_policies_key_unique` ON `status_policies` (`key`);--> statement-breakpoint
CREATE TABLE `status_transitions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`parent_status_id` integer NOT NULL,
	`child_status_id` integer NOT NULL,
	`dealer_can` integer DEFAULT false NOT NULL,
	`manager_can` integer DEFAULT false NOT NULL,
	`production_can` integer DEFAULT false NOT NULL,
	`dealers_can` integer DEFAULT false NOT NULL,
	`managers_can` integer DEFAULT false NOT NULL,
	`productions_can` integer DEFAULT false NOT NULL,
	`required_fields` text DEFAULT '[]' NOT NULL,
	`forced_fields` text DEFAULT '[]' NOT NULL,
	FOREIGN KEY (`parent_status_id`) REFERENCES `statuses`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`child_status_id`) REFERENCES `statuses`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `status_transitions_parent` ON `status_transitions` (`parent_status_id`);--> statement-breakpoint
CREATE INDEX `status_transitions_child` ON `status_transitions` (`child_status_id`);--> statement-breakpoint
CREATE TABLE `statuses` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`index` integer DEFAULT 0 NOT NULL,
	`status_key` text NOT NULL,
	`name` text NOT NULL,
	`color` text,
	`description` text,
	`notify_manager` integer DEFAULT false NOT NULL,
	`notify_admin` integer DEFAULT false NOT NULL,
	`notify_dealer` integer DEFAULT false NOT NULL,
	`notify_make` integer DEFAULT false NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `statuses_status_key_unique` ON `statuses` (`status_key`);--> statement-breakpoint
CREATE INDEX `statuses_index` ON `statuses` (`index`,`id`);