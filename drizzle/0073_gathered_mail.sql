ALTER TABLE `deliveries` ADD `gathered_for` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `mail_pace` text DEFAULT 'at-once' NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `mail_time` text DEFAULT '09:00' NOT NULL;