DROP INDEX `orders_owner`;--> statement-breakpoint
DROP INDEX `orders_manager`;--> statement-breakpoint
DROP INDEX `orders_created`;--> statement-breakpoint
CREATE INDEX `orders_owner` ON `orders` (`owner_company_id`,`created_at`,`id`,`status_id`,`cost`);--> statement-breakpoint
CREATE INDEX `orders_manager` ON `orders` (`owner_manager_id`,`created_at`,`id`,`status_id`,`cost`);--> statement-breakpoint
CREATE INDEX `orders_created` ON `orders` (`created_at`,`id`,`status_id`,`cost`);