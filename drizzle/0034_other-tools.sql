PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_companies` (
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
	`last_specification_number` integer,
	`manufacture_id` integer,
	`stock_id` integer,
	`manager_id` integer,
	`files` text DEFAULT '[]' NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`manufacture_id`) REFERENCES `manufactures`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`stock_id`) REFERENCES `stocks`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`manager_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_companies`("id", "org", "contract_number", "contract_date", "inn", "ogrn", "kpp", "okpo", "okato", "okved", "address", "legal_address", "director_name_full", "director_name_short", "bank", "bik", "rs", "cs", "phone", "email", "discount", "specification_start_number", "last_specification_number", "manufacture_id", "stock_id", "manager_id", "files", "search", "version", "created_at", "updated_at") SELECT "id", "org", "contract_number", "contract_date", "inn", "ogrn", "kpp", "okpo", "okato", "okved", "address", "legal_address", "director_name_full", "director_name_short", "bank", "bik", "rs", "cs", "phone", "email", "discount", "specification_start_number", "last_specification_number", "manufacture_id", "stock_id", "manager_id", "files", "search", "version", "created_at", "updated_at" FROM `companies`;--> statement-breakpoint
DROP TABLE `companies`;--> statement-breakpoint
ALTER TABLE `__new_companies` RENAME TO `companies`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `companies_created` ON `companies` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `companies_org` ON `companies` (`search`,`id`);--> statement-breakpoint
CREATE INDEX `companies_manager` ON `companies` (`manager_id`,`id`);--> statement-breakpoint
CREATE INDEX `companies_manufacture` ON `companies` (`manufacture_id`);--> statement-breakpoint
CREATE INDEX `companies_stock` ON `companies` (`stock_id`);--> statement-breakpoint
CREATE TABLE `__new_news` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`shown` text,
	`excerpt` text DEFAULT '' NOT NULL,
	`images` text DEFAULT '[]' NOT NULL,
	`published` integer DEFAULT false NOT NULL,
	`publishedon` integer,
	`index` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_news`("id", "name", "description", "shown", "excerpt", "images", "published", "publishedon", "index", "version", "created_at", "updated_at") SELECT "id", "name", "description", "shown", "excerpt", "images", "published", "publishedon", "index", "version", "created_at", "updated_at" FROM `news`;--> statement-breakpoint
DROP TABLE `news`;--> statement-breakpoint
ALTER TABLE `__new_news` RENAME TO `news`;--> statement-breakpoint
CREATE INDEX `news_published` ON `news` (`published`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `news_publishedon` ON `news` (`publishedon`,`id`);--> statement-breakpoint
CREATE INDEX `news_excerpt` ON `news` (`excerpt`);--> statement-breakpoint
CREATE INDEX `news_due` ON `news` (`publishedon`) WHERE published = 0 and publishedon is not null;--> statement-breakpoint
CREATE INDEX `news_images` ON `news` (`images`) WHERE images <> '[]';--> statement-breakpoint
CREATE TABLE `__new_orders` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status_id` integer,
	`dealer_id` integer,
	`company_id` integer,
	`owner_company_id` integer,
	`owner_manager_id` integer,
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
	`status_since` integer DEFAULT 0 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`status_id`) REFERENCES `statuses`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`dealer_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_orders`("id", "status_id", "dealer_id", "company_id", "owner_company_id", "owner_manager_id", "specification_number", "sn", "specification", "payment_order", "invoice", "date_make", "date_delivery", "date_payment", "payment", "receiver", "phone", "email", "delivery", "address", "deferred_payment", "comment", "cost", "status_since", "version", "created_at", "updated_at") SELECT "id", "status_id", "dealer_id", "company_id", "owner_company_id", "owner_manager_id", "specification_number", "sn", "specification", "payment_order", "invoice", "date_make", "date_delivery", "date_payment", "payment", "receiver", "phone", "email", "delivery", "address", "deferred_payment", "comment", "cost", "status_since", "version", "created_at", "updated_at" FROM `orders`;--> statement-breakpoint
DROP TABLE `orders`;--> statement-breakpoint
ALTER TABLE `__new_orders` RENAME TO `orders`;--> statement-breakpoint
CREATE INDEX `orders_status` ON `orders` (`status_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_dealer` ON `orders` (`dealer_id`);--> statement-breakpoint
CREATE INDEX `orders_company` ON `orders` (`company_id`);--> statement-breakpoint
CREATE INDEX `orders_owner` ON `orders` (`owner_company_id`,`created_at`,`id`,`status_id`);--> statement-breakpoint
CREATE INDEX `orders_manager` ON `orders` (`owner_manager_id`,`created_at`,`id`,`status_id`);--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `orders_number` ON `orders` (`specification_number`,`id`);--> statement-breakpoint
CREATE INDEX `orders_cost` ON `orders` (`cost`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_make_due` ON `orders` (`status_id`,`date_make`);--> statement-breakpoint
CREATE INDEX `orders_date_delivery_due` ON `orders` (`status_id`,`date_delivery`);--> statement-breakpoint
CREATE INDEX `orders_stuck` ON `orders` (`status_id`,`status_since`);--> statement-breakpoint
CREATE INDEX `orders_owner_status` ON `orders` (`owner_company_id`,`status_id`,`status_since`);--> statement-breakpoint
CREATE INDEX `orders_manager_status` ON `orders` (`owner_manager_id`,`status_id`,`status_since`);--> statement-breakpoint
CREATE INDEX `orders_since` ON `orders` (`status_since`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_make` ON `orders` (`date_make`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_delivery` ON `orders` (`date_delivery`,`id`);--> statement-breakpoint
CREATE INDEX `orders_date_payment` ON `orders` (`date_payment`,`id`);--> statement-breakpoint
CREATE INDEX `orders_specification` ON `orders` (`specification`) WHERE "orders"."specification" is not null;--> statement-breakpoint
CREATE INDEX `orders_payment_order` ON `orders` (`payment_order`) WHERE "orders"."payment_order" is not null;--> statement-breakpoint
CREATE INDEX `orders_invoice` ON `orders` (`invoice`) WHERE "orders"."invoice" is not null;--> statement-breakpoint
CREATE TABLE `__new_categories` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_categories`("id", "name", "search", "version", "created_at", "updated_at") SELECT "id", "name", "search", "version", "created_at", "updated_at" FROM `categories`;--> statement-breakpoint
DROP TABLE `categories`;--> statement-breakpoint
ALTER TABLE `__new_categories` RENAME TO `categories`;--> statement-breakpoint
CREATE TABLE `__new_manufactures` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`address` text
);
--> statement-breakpoint
INSERT INTO `__new_manufactures`("id", "name", "search", "version", "created_at", "updated_at", "address") SELECT "id", "name", "search", "version", "created_at", "updated_at", "address" FROM `manufactures`;--> statement-breakpoint
DROP TABLE `manufactures`;--> statement-breakpoint
ALTER TABLE `__new_manufactures` RENAME TO `manufactures`;--> statement-breakpoint
CREATE TABLE `__new_stocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`address` text
);
--> statement-breakpoint
INSERT INTO `__new_stocks`("id", "name", "search", "version", "created_at", "updated_at", "address") SELECT "id", "name", "search", "version", "created_at", "updated_at", "address" FROM `stocks`;--> statement-breakpoint
DROP TABLE `stocks`;--> statement-breakpoint
ALTER TABLE `__new_stocks` RENAME TO `stocks`;--> statement-breakpoint
CREATE TABLE `__new_settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text,
	`accent` text,
	`sign_in_note` text,
	`language` text,
	`logo` text,
	`logo_dark` text,
	`currency_symbol` text,
	`decimals` integer,
	`legal_name` text,
	`inn` text,
	`kpp` text,
	`ogrn` text,
	`legal_address` text,
	`bank` text,
	`bik` text,
	`rs` text,
	`cs` text,
	`signatory` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_settings`("id", "name", "accent", "sign_in_note", "language", "logo", "logo_dark", "currency_symbol", "decimals", "legal_name", "inn", "kpp", "ogrn", "legal_address", "bank", "bik", "rs", "cs", "signatory", "version", "created_at", "updated_at") SELECT "id", "name", "accent", "sign_in_note", "language", "logo", "logo_dark", "currency_symbol", "decimals", "legal_name", "inn", "kpp", "ogrn", "legal_address", "bank", "bik", "rs", "cs", "signatory", "version", "created_at", "updated_at" FROM `settings`;--> statement-breakpoint
DROP TABLE `settings`;--> statement-breakpoint
ALTER TABLE `__new_settings` RENAME TO `settings`;--> statement-breakpoint
CREATE TABLE `__new_statuses` (
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
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL
);
--> statement-breakpoint
INSERT INTO `__new_statuses`("id", "index", "status_key", "name", "color", "description", "notify_manager", "notify_admin", "notify_dealer", "notify_make", "version", "created_at", "updated_at") SELECT "id", "index", "status_key", "name", "color", "description", "notify_manager", "notify_admin", "notify_dealer", "notify_make", "version", "created_at", "updated_at" FROM `statuses`;--> statement-breakpoint
DROP TABLE `statuses`;--> statement-breakpoint
ALTER TABLE `__new_statuses` RENAME TO `statuses`;--> statement-breakpoint
CREATE UNIQUE INDEX `statuses_status_key_unique` ON `statuses` (`status_key`);--> statement-breakpoint
CREATE INDEX `statuses_index` ON `statuses` (`index`,`id`);--> statement-breakpoint
CREATE TABLE `__new_users` (
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
	`mail_statuses` integer DEFAULT true NOT NULL,
	`mail_messages` integer DEFAULT true NOT NULL,
	`mail_mentions` integer DEFAULT true NOT NULL,
	`telegram_statuses` integer DEFAULT true NOT NULL,
	`telegram_messages` integer DEFAULT true NOT NULL,
	`telegram_mentions` integer DEFAULT true NOT NULL,
	`search` text DEFAULT '' NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`manager_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`stock_id`) REFERENCES `stocks`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`manufacture_id`) REFERENCES `manufactures`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
INSERT INTO `__new_users`("id", "group_id", "email", "password", "name", "lastname", "middlename", "position", "phone", "tg_id", "image", "active", "superadmin", "company_id", "manager_id", "stock_id", "manufacture_id", "last_auth", "language", "theme", "mail_statuses", "mail_messages", "mail_mentions", "telegram_statuses", "telegram_messages", "telegram_mentions", "search", "version", "created_at", "updated_at") SELECT "id", "group_id", "email", "password", "name", "lastname", "middlename", "position", "phone", "tg_id", "image", "active", "superadmin", "company_id", "manager_id", "stock_id", "manufacture_id", "last_auth", "language", "theme", "mail_statuses", "mail_messages", "mail_mentions", "telegram_statuses", "telegram_messages", "telegram_mentions", "search", "version", "created_at", "updated_at" FROM `users`;--> statement-breakpoint
DROP TABLE `users`;--> statement-breakpoint
ALTER TABLE `__new_users` RENAME TO `users`;--> statement-breakpoint
CREATE INDEX `users_email` ON `users` (`email`);--> statement-breakpoint
CREATE INDEX `users_group` ON `users` (`group_id`,`id`);--> statement-breakpoint
CREATE INDEX `users_created` ON `users` (`group_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `users_company` ON `users` (`company_id`,`group_id`,`id`);--> statement-breakpoint
CREATE INDEX `users_manager` ON `users` (`manager_id`,`group_id`,`id`);--> statement-breakpoint
CREATE INDEX `users_stock` ON `users` (`stock_id`);--> statement-breakpoint
CREATE INDEX `users_manufacture` ON `users` (`manufacture_id`);