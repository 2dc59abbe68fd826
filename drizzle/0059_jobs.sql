CREATE TABLE `jobs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`list` text NOT NULL,
	`subject` text,
	`state` text DEFAULT 'waiting' NOT NULL,
	`done` integer DEFAULT 0 NOT NULL,
	`total` integer NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`problem` text,
	`user_id` integer NOT NULL,
	`author` text NOT NULL,
	`authenticated_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer NOT NULL,
	`due_at` integer NOT NULL,
	`claimed_at` integer DEFAULT 0 NOT NULL,
	`ended_at` integer,
	`report` text DEFAULT '[]' NOT NULL,
	`payload` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`claimed_at`,`id`) WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_subject` ON `jobs` (`subject`) WHERE state in ('waiting', 'running');--> statement-breakpoint
CREATE INDEX `jobs_user` ON `jobs` (`user_id`,`id`);--> statement-breakpoint
CREATE INDEX `jobs_ended` ON `jobs` (`ended_at`);--> statement-breakpoint
ALTER TABLE `notifications` ADD `job_id` integer REFERENCES jobs(id) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `notifications_job` ON `notifications` (`job_id`) WHERE job_id is not null;