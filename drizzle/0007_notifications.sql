DROP INDEX `deliveries_next`;--> statement-breakpoint
DROP INDEX `deliveries_notification`;--> statement-breakpoint
ALTER TABLE `deliveries` ADD `sent_at` integer;--> statement-breakpoint
CREATE INDEX `deliveries_state` ON `deliveries` (`state`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_next` ON `deliveries` (`channel`,`next_at`) WHERE state = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX `deliveries_notification` ON `deliveries` (`notification_id`,`channel`);--> statement-breakpoint
DROP INDEX `notifications_user`;--> statement-breakpoint
DROP INDEX `notifications_history`;--> statement-breakpoint
CREATE INDEX `notifications_unread` ON `notifications` (`user_id`,`id`) WHERE read_at is null;--> statement-breakpoint
CREATE INDEX `notifications_read` ON `notifications` (`read_at`) WHERE read_at is not null;--> statement-breakpoint
CREATE INDEX `notifications_user` ON `notifications` (`user_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_history` ON `notifications` (`history_id`,`user_id`);