CREATE TABLE `category_markups` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`category_id` integer NOT NULL,
	`company_id` integer NOT NULL,
	`markup` integer NOT NULL,
	FOREIGN KEY (`category_id`) REFERENCES `categories`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `category_markups_category` ON `category_markups` (`category_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `category_markups_pair` ON `category_markups` (`company_id`,`category_id`);--> statement-breakpoint
CREATE TABLE `offer_terms` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`name` text,
	`phone` text,
	`logo` text,
	`text` text,
	`markup` integer NOT NULL,
	`round_to` text DEFAULT '1' NOT NULL,
	`valid_days` integer DEFAULT 14 NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `offer_terms_company` ON `offer_terms` (`company_id`);--> statement-breakpoint
CREATE INDEX `offer_terms_logo` ON `offer_terms` (`logo`) WHERE logo is not null;--> statement-breakpoint
-- Whoever gets a set that lets them give dealers a password goes on to hold all that dealers hold.
UPDATE `permission_sets` SET `keys` = json_insert(`keys`, '$[#]', 'company_offer_can_edit')
  WHERE json_valid(`keys`) AND EXISTS (SELECT 1 FROM json_each(`keys`) WHERE `value` IN ('dealer_can_add', 'dealer_can_edit', 'dealer_manager_can_edit'));
