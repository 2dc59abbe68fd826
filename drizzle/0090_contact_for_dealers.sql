ALTER TABLE `settings` ADD `contact_phone` text;--> statement-breakpoint
ALTER TABLE `settings` ADD `contact_email` text;