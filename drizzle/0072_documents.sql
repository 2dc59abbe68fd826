CREATE TABLE `document_series` (
	`kind` text NOT NULL,
	`year` integer NOT NULL,
	`pattern` text NOT NULL,
	`next` integer NOT NULL,
	PRIMARY KEY(`kind`, `year`)
);
--> statement-breakpoint
CREATE TABLE `documents` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`number` text NOT NULL,
	`serial` integer,
	`year` integer NOT NULL,
	`date` text NOT NULL,
	`order_id` integer,
	`company_id` integer,
	`amount` integer,
	`state` text DEFAULT 'issued' NOT NULL,
	`file` text NOT NULL,
	`order_version` integer NOT NULL,
	`content` text NOT NULL,
	`replaced_by_id` integer,
	`issued_by_step` integer,
	`canceled_by_step` integer,
	`actor_id` integer,
	`actor_name` text NOT NULL,
	`impersonator_id` integer,
	`impersonator_name` text,
	`version` integer DEFAULT 1 NOT NULL,
	`created_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast((julianday('now') - 2440587.5) * 86400000 as integer)) NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`company_id`) REFERENCES `companies`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `documents_serial` ON `documents` (`kind`,`year`,`serial`) WHERE serial is not null;--> statement-breakpoint
CREATE INDEX `documents_order` ON `documents` (`order_id`,`kind`,`id`);--> statement-breakpoint
CREATE INDEX `documents_company` ON `documents` (`company_id`,`date`,`id`);--> statement-breakpoint
CREATE INDEX `documents_date` ON `documents` (`date`,`id`);--> statement-breakpoint
CREATE INDEX `documents_amount` ON `documents` (`amount`,`id`);--> statement-breakpoint
CREATE INDEX `documents_file` ON `documents` (`file`);--> statement-breakpoint
CREATE INDEX `documents_step` ON `documents` (`issued_by_step`) WHERE issued_by_step is not null;--> statement-breakpoint
CREATE INDEX `documents_canceling` ON `documents` (`canceled_by_step`) WHERE canceled_by_step is not null;