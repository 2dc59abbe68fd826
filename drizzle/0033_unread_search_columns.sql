DROP INDEX `news_search`;--> statement-breakpoint
ALTER TABLE `news` DROP COLUMN `search`;--> statement-breakpoint
ALTER TABLE `orders` DROP COLUMN `search`;--> statement-breakpoint
ALTER TABLE `statuses` DROP COLUMN `search`;