CREATE TABLE `order_drafts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`fields` text NOT NULL,
	`created_at` integer NOT NULL,
	`opened_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_drafts_user` ON `order_drafts` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `order_drafts_opened` ON `order_drafts` (`opened_at`);--> statement-breakpoint
CREATE TABLE `contract_prices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`product_id` integer NOT NULL,
	`from` text NOT NULL,
	`until` text,
	`price` integer NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `contract_prices_company` ON `contract_prices` (`company_id`,`product_id`,`from`);--> statement-breakpoint
CREATE INDEX `contract_prices_product` ON `contract_prices` (`product_id`);--> statement-breakpoint
CREATE TABLE `product_prices` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`product_id` integer NOT NULL,
	`from` text NOT NULL,
	`price` integer NOT NULL,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `product_prices_day` ON `product_prices` (`product_id`,`from`);--> statement-breakpoint
CREATE TABLE `products` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`category_id` integer,
	`article` text NOT NULL,
	`name` text NOT NULL,
	`unit` text DEFAULT 'pcs' NOT NULL,
	`basis` text DEFAULT 'each' NOT NULL,
	`width_min` integer,
	`width_max` integer,
	`height_min` integer,
	`height_max` integer,
	`minimum` integer,
	`description` text,
	`image` text,
	`active` integer DEFAULT true NOT NULL,
	`external_id` text,
	`search` text DEFAULT '' NOT NULL,
	`article_search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `products_article` ON `products` (`article_search`,`id`);--> statement-breakpoint
CREATE INDEX `products_name` ON `products` (`search`,`id`);--> statement-breakpoint
CREATE INDEX `products_category` ON `products` (`category_id`,`id`);--> statement-breakpoint
CREATE INDEX `products_external` ON `products` (`external_id`) WHERE external_id is not null;--> statement-breakpoint
CREATE INDEX `products_image` ON `products` (`image`) WHERE image is not null;--> statement-breakpoint
CREATE INDEX `products_active` ON `products` (`active`,`article_search`,`id`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_order_items` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`category_id` integer,
	`name` text NOT NULL,
	`quantity` integer NOT NULL,
	`price` integer,
	`discount` integer NOT NULL,
	`product_id` integer,
	`article` text,
	`unit` text,
	`basis` text,
	`width` integer,
	`height` integer,
	`piece_price` integer,
	`price_origin` text,
	`priced_on` text,
	`agreed_reason` text,
	`vat` text,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`product_id`) REFERENCES `products`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_order_items`("id", "order_id", "category_id", "name", "quantity", "price", "discount") SELECT "id", "order_id", "category_id", "name", "quantity", "price", "discount" FROM `order_items`;--> statement-breakpoint
DROP TABLE `order_items`;--> statement-breakpoint
ALTER TABLE `__new_order_items` RENAME TO `order_items`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `order_items_order` ON `order_items` (`order_id`);--> statement-breakpoint
CREATE INDEX `order_items_category` ON `order_items` (`category_id`);--> statement-breakpoint
CREATE INDEX `order_items_product` ON `order_items` (`product_id`) WHERE product_id is not null;--> statement-breakpoint
ALTER TABLE `settings` ADD `catalog` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `settings` ADD `vat` text;--> statement-breakpoint
ALTER TABLE `settings` ADD `price_days` integer DEFAULT 14 NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `discount_limit` integer;