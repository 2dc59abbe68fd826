CREATE TABLE `right_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` integer NOT NULL,
	`policy_id` integer NOT NULL,
	`note` text DEFAULT '' NOT NULL,
	`created_at` integer NOT NULL,
	`state` text DEFAULT 'open' NOT NULL,
	`decided_by` integer,
	`decided_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`policy_id`) REFERENCES `policies`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`decided_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `right_requests_open` ON `right_requests` (`user_id`,`policy_id`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `right_requests_user` ON `right_requests` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `right_requests_policy` ON `right_requests` (`policy_id`);--> statement-breakpoint
CREATE INDEX `right_requests_decider` ON `right_requests` (`decided_by`);--> statement-breakpoint
CREATE INDEX `right_requests_state` ON `right_requests` (`state`,`id`);