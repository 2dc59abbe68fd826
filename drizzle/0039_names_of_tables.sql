ALTER TABLE `right_requests` RENAME TO `access_requests`;--> statement-breakpoint
ALTER TABLE `planted` RENAME TO `seeded`;--> statement-breakpoint
ALTER TABLE `kept_forms` RENAME TO `pending_submissions`;--> statement-breakpoint
ALTER TABLE `bin` RENAME TO `trash`;--> statement-breakpoint
ALTER TABLE `kept_rows` RENAME TO `trashed_credentials`;--> statement-breakpoint
DROP INDEX `right_requests_open`;--> statement-breakpoint
CREATE UNIQUE INDEX `access_requests_open` ON `access_requests` (`user_id`,`policy_id`) WHERE state = 'open';--> statement-breakpoint
DROP INDEX `right_requests_user`;--> statement-breakpoint
CREATE INDEX `access_requests_user` ON `access_requests` (`user_id`,`id`);--> statement-breakpoint
DROP INDEX `right_requests_policy`;--> statement-breakpoint
CREATE INDEX `access_requests_policy` ON `access_requests` (`policy_id`);--> statement-breakpoint
DROP INDEX `right_requests_decider`;--> statement-breakpoint
CREATE INDEX `access_requests_decider` ON `access_requests` (`decided_by`);--> statement-breakpoint
DROP INDEX `right_requests_state`;--> statement-breakpoint
CREATE INDEX `access_requests_state` ON `access_requests` (`state`,`id`);--> statement-breakpoint
DROP INDEX `kept_forms_user`;--> statement-breakpoint
CREATE INDEX `pending_submissions_user` ON `pending_submissions` (`user_id`,`at`);--> statement-breakpoint
DROP INDEX `kept_forms_at`;--> statement-breakpoint
CREATE INDEX `pending_submissions_at` ON `pending_submissions` (`at`);--> statement-breakpoint
DROP INDEX `bin_at`;--> statement-breakpoint
CREATE INDEX `trash_at` ON `trash` (`at`);--> statement-breakpoint
DROP INDEX `bin_batch`;--> statement-breakpoint
CREATE INDEX `trash_batch` ON `trash` (`batch`);--> statement-breakpoint
DROP INDEX `bin_record`;--> statement-breakpoint
CREATE INDEX `trash_record` ON `trash` (`entity`,`record_id`);--> statement-breakpoint
DROP INDEX `bin_waiting`;--> statement-breakpoint
CREATE INDEX `trash_waiting` ON `trash` (`at`) WHERE size is not null and restored_at is null;--> statement-breakpoint
DROP INDEX `kept_rows_record`;--> statement-breakpoint
CREATE INDEX `trashed_credentials_record` ON `trashed_credentials` (`entity`,`record_id`);--> statement-breakpoint
UPDATE `trash` SET "removed" = replace("removed", '"table":"right_requests"', '"table":"access_requests"');
