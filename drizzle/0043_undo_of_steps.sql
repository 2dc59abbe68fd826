ALTER TABLE `order_history` ADD `record_version` integer;--> statement-breakpoint
ALTER TABLE `order_history` ADD `undo_until` integer;--> statement-breakpoint
ALTER TABLE `order_history` ADD `undone_at` integer;--> statement-breakpoint
ALTER TABLE `order_history` ADD `undoes_id` integer;--> statement-breakpoint
CREATE INDEX `notifications_unread_orders` ON `notifications` (`user_id`,`order_id`) WHERE read_at is null;