CREATE TABLE `settings` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text,
	`accent` text,
	`sign_in_note` text,
	`language` text,
	`currency` text,
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
	`first_steps_dismissed` integer DEFAULT false NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
ALTER TABLE `users` ADD `mail_statuses` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `mail_messages` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `mail_mentions` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `telegram_statuses` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `telegram_messages` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `telegram_mentions` integer DEFAULT true NOT NULL;