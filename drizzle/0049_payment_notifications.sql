ALTER TABLE `notifications` ADD `payment_id` integer REFERENCES payments(id) ON DELETE set null;--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_payment` ON `notifications` (`payment_id`,`event`,`user_id`);--> statement-breakpoint
ALTER TABLE `users` ADD `mail_payments` integer DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE `users` ADD `telegram_payments` integer DEFAULT true NOT NULL;