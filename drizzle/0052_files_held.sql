CREATE INDEX `users_image` ON `users` (`image`) WHERE image is not null;--> statement-breakpoint
UPDATE `order_drafts` SET `files` = '["' || replace(`files`, ' ', '","') || '"]' WHERE `files` IS NOT NULL;
