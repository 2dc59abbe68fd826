CREATE TABLE `order_message_edits` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` integer NOT NULL,
	`at` integer NOT NULL,
	`text` text NOT NULL,
	`impersonator_name` text,
	FOREIGN KEY (`message_id`) REFERENCES `order_messages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_message_edits_message` ON `order_message_edits` (`message_id`);--> statement-breakpoint
CREATE TABLE `order_message_files` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`message_id` integer NOT NULL,
	`file` text NOT NULL,
	`name` text NOT NULL,
	`size` integer NOT NULL,
	FOREIGN KEY (`message_id`) REFERENCES `order_messages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_message_files_message` ON `order_message_files` (`message_id`);--> statement-breakpoint
CREATE INDEX `order_message_files_file` ON `order_message_files` (`file`);--> statement-breakpoint
CREATE TABLE `order_messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`order_id` integer NOT NULL,
	`at` integer NOT NULL,
	`author_id` integer NOT NULL,
	`author_name` text NOT NULL,
	`author_group` integer NOT NULL,
	`impersonator_name` text,
	`text` text NOT NULL,
	`internal` integer DEFAULT false NOT NULL,
	`edited_at` integer,
	`withdrawn_at` integer,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_messages_order` ON `order_messages` (`order_id`,`id`);--> statement-breakpoint
CREATE TABLE `order_visits` (
	`user_id` integer NOT NULL,
	`order_id` integer NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `order_id`),
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `order_visits_order` ON `order_visits` (`order_id`);--> statement-breakpoint
ALTER TABLE `notifications` ADD `message_id` integer REFERENCES order_messages(id) ON DELETE set null;--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_message` ON `notifications` (`message_id`,`user_id`);--> statement-breakpoint
CREATE INDEX `notifications_unread_messages` ON `notifications` (`user_id`,`order_id`) WHERE message_id is not null and read_at is null;--> statement-breakpoint
ALTER TABLE `status_transitions` ADD `action_name` text;