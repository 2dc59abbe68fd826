DROP INDEX `orders_dealer`;--> statement-breakpoint
DROP INDEX `orders_company`;--> statement-breakpoint
ALTER TABLE `orders` ADD `owner_company_id` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `owner_manager_id` integer;--> statement-breakpoint
CREATE INDEX `orders_owner` ON `orders` (`owner_company_id`,`created_at`,`id`,`status_id`);--> statement-breakpoint
CREATE INDEX `orders_manager` ON `orders` (`owner_manager_id`,`created_at`,`id`,`status_id`);--> statement-breakpoint
CREATE INDEX `orders_number` ON `orders` (`specification_number`,`id`);--> statement-breakpoint
CREATE INDEX `orders_cost` ON `orders` (`cost`,`id`);--> statement-breakpoint
CREATE INDEX `orders_specification` ON `orders` (`specification`) WHERE "orders"."specification" is not null;--> statement-breakpoint
CREATE INDEX `orders_payment_order` ON `orders` (`payment_order`) WHERE "orders"."payment_order" is not null;--> statement-breakpoint
CREATE INDEX `orders_invoice` ON `orders` (`invoice`) WHERE "orders"."invoice" is not null;--> statement-breakpoint
CREATE INDEX `orders_dealer` ON `orders` (`dealer_id`);--> statement-breakpoint
CREATE INDEX `orders_company` ON `orders` (`company_id`);--> statement-breakpoint
ALTER TABLE `companies` ADD `last_specification_number` integer;--> statement-breakpoint
CREATE INDEX `order_history_at` ON `order_history` (`at`);