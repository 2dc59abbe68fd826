ALTER TABLE `notifications` ADD `file` text;--> statement-breakpoint
ALTER TABLE `notifications` ADD `file_name` text;--> statement-breakpoint
ALTER TABLE `settings` ADD `logo` text;--> statement-breakpoint
ALTER TABLE `settings` ADD `logo_dark` text;--> statement-breakpoint
ALTER TABLE `settings` ADD `currency_symbol` text;--> statement-breakpoint
ALTER TABLE `settings` ADD `decimals` integer;