CREATE TABLE `company_balances` (
	`company_id` integer PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ledger_entries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`company_id` integer NOT NULL,
	`order_id` integer,
	`payment_id` integer,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`note` text,
	`at` integer NOT NULL,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `ledger_entries_company` ON `ledger_entries` (`company_id`,`id`);--> statement-breakpoint
CREATE INDEX `ledger_entries_order` ON `ledger_entries` (`order_id`,`id`) WHERE order_id is not null;--> statement-breakpoint
CREATE TABLE `order_balances` (
	`order_id` integer PRIMARY KEY NOT NULL,
	`company_id` integer NOT NULL,
	`charged` integer NOT NULL,
	`paid` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `order_balances_lacking` ON `order_balances` (`company_id`,`order_id`) WHERE charged > paid;--> statement-breakpoint
CREATE TABLE `payments` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`state` text NOT NULL,
	`amount` integer NOT NULL,
	`date` text NOT NULL,
	`kind` text NOT NULL,
	`file` text,
	`note` text,
	`reason` text,
	`reporter_id` integer,
	`reporter_name` text NOT NULL,
	`decider_id` integer,
	`decider_name` text,
	`decided_at` integer,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `payments_order` ON `payments` (`order_id`,`state`);--> statement-breakpoint
CREATE INDEX `payments_state` ON `payments` (`state`,`id`);--> statement-breakpoint
CREATE INDEX `payments_date` ON `payments` (`date`,`id`);--> statement-breakpoint
CREATE INDEX `payments_amount` ON `payments` (`amount`,`id`);--> statement-breakpoint
CREATE INDEX `payments_file` ON `payments` (`file`) WHERE file is not null;--> statement-breakpoint
ALTER TABLE `orders` ADD `due_since` text;--> statement-breakpoint
ALTER TABLE `statuses` ADD `due` text;--> statement-breakpoint
UPDATE `statuses` SET `due` = 'starts' WHERE `status_key` = 'payment';--> statement-breakpoint
UPDATE `statuses` SET `due` = 'ends' WHERE `status_key` = 'canceled';