PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_policy_status` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status_id` integer NOT NULL,
	`status_policy_id` integer NOT NULL,
	`value` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`status_id`) REFERENCES `statuses`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`status_policy_id`) REFERENCES `status_policies`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
INSERT INTO `__new_policy_status`("status_id", "status_policy_id", "value") SELECT "status_id", "status_policy_id", "value" FROM `policy_status`;--> statement-breakpoint
DROP TABLE `policy_status`;--> statement-breakpoint
ALTER TABLE `__new_policy_status` RENAME TO `policy_status`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `policy_status_policy` ON `policy_status` (`status_policy_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `policy_status_pair` ON `policy_status` (`status_id`,`status_policy_id`);